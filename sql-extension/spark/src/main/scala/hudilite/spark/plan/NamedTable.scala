package hudilite.spark.plan

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIfNeeded

/** A hudilite table as the statements of an error text name it. Each of these statements can be run
  * as it stands.
  * @param name       the table's name in SQL
  * @param call       CALL and, if it has to be named, the catalog of the procedures
  * @param key        key columns; Nil for a table without a key
  * @param partitions partition columns
  * @param buckets    number of buckets; None for a table without buckets
  * @param hashed     columns that are hashed; Nil: the key
  * @param facts      other facts that a copy of the table needs as properties */
final case class NamedTable(
    name: String,
    call: String,
    key: Seq[String],
    partitions: Seq[String],
    buckets: Option[Int],
    hashed: Seq[String],
    facts: Map[String, String]
) {

  /** Returns the text of a CALL with this table as its first argument.
    * @param others text of the other arguments */
  def called(procedure: String, others: String*): String =
    (s"table => ${Literal(name).sql}" +: others).mkString(s"$call$procedure(", ", ", ")")

  /** Returns the table without its key, and without what needs a key. */
  def withoutKey: NamedTable =
    copy(key = Nil, buckets = None, hashed = Nil, facts = facts - "hudilite.index.global")

  /** Returns the text of a CREATE TABLE AS SELECT that copies the table with its facts.
    * @param to     name of the new table in SQL
    * @param select columns of the copy
    * @param from   text after FROM */
  def copied(to: String = named("new"), select: String = "*", from: String = name): String = {
    val parts = partitions.map(quoteIfNeeded).mkString(", ")
    val ofKey = Option.when(key.nonEmpty)("primaryKey" -> key.mkString(","))
    val properties = (facts ++ ofKey).toSeq.sorted
      .map { case (fact, value) => s"${quotedFact(fact)} = ${Literal(value).sql}" }
    Seq(
      s"CREATE TABLE $to USING hudilite",
      if (parts.isEmpty) "" else s"PARTITIONED BY ($parts)",
      buckets.fold("")(n => s"WITH BUCKETS $n$on"),
      if (properties.isEmpty) "" else properties.mkString("TBLPROPERTIES (", ", ", ")"),
      s"AS SELECT $select FROM $from"
    ).filter(_.nonEmpty).mkString(" ")
  }

  /** Clause ON of the buckets, if it is needed and may be there: a copy may have another key. */
  private def on: String =
    if (hashed.isEmpty || hashed == key || !hashed.forall(key.contains)) ""
    else hashed.map(quoteIfNeeded).mkString(" ON (", ", ", ")")

  private def quotedFact(fact: String) = if (fact.contains('.')) s"'$fact'" else fact

  /** Returns a name for another table beside this one; a table by path has no name to begin with. */
  def named(suffix: String): String =
    if (name.contains("/")) s"${suffix}_table"
    else if (name.endsWith("`")) s"${name.dropRight(1)}_$suffix`"
    else s"${name}_$suffix"
}
