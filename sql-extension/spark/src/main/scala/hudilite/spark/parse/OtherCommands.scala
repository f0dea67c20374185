package hudilite.spark.parse

import java.util.Locale

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.expressions.Literal

import hudilite.spark.parse.CommandTokens._
import hudilite.spark.plan.TableCommand.Refused
import hudilite.spark.plan.{NamedTable, TableCommand}

/** Statements of Delta, Iceberg and stock Hudi that no hudilite table supports, with what to write
  * instead. A statement after "Write:" can be run as it stands. */
final private[parse] case class OtherCommands(sqlText: String) {

  def statement(tokens: List[Token]): Option[TableCommands] = tokens match {
    case Word("SHOW") :: Word("INDEXES") :: Word("FROM" | "IN") :: Target(of, _) =>
      Some(of(refused("SHOW INDEXES", t => s"Write: ${t.called("show_index")}")))
    case Word("REFRESH") :: Word("INDEX") :: Part(_) :: Word("ON") :: Word("TABLE") ::
        Target(of, _) =>
      Some(of(refreshed))
    case Word("REFRESH") :: Word("INDEX") :: Part(_) :: Word("ON") :: Target(of, _) =>
      Some(of(refreshed))
    case Word(verb @ ("SCHEDULE" | "SHOW")) :: Word("COMPACTION") :: Word("ON") :: Target(of, _) =>
      Some(of(refused(s"$verb COMPACTION", compactions(verb))))
    case Word("GENERATE") :: _ :: Word("FOR") :: Word("TABLE") :: Target(of, _) =>
      Some(of(refused("GENERATE",
        t =>
          s"Other engines read the table without a manifest. To list its files, write: " +
            s"${t.called("show_files")}")))
    case Word("REORG") :: Word("TABLE") :: Target(of, _) =>
      Some(of(refused("REORG TABLE",
        t =>
          "Base files contain no deleted rows, and log files are merged into them. Write: " +
            s"OPTIMIZE ${t.name}")))
    case Word("FSCK") :: Word("REPAIR") :: Word("TABLE") :: Target(of, _) =>
      Some(of(refused("FSCK REPAIR TABLE",
        t =>
          s"To find files that are missing, write: ${t.called("verify", "level => 'files'")}")))
    case Word("COPY") :: Word("INTO") :: Target(of, rest) => Some(of(copied(rest)))
    case Word("CREATE") :: rest => clone(rest)
    case Word("ALTER") :: Word("TABLE") :: Target(of, rest) => altered(rest).map(of)
    case _ => None
  }

  private val refreshed = refused("REFRESH INDEX",
    t =>
      s"Every write keeps the index of the table up to date. To see it, write: " +
        s"${t.called("show_index")}")

  private def compactions(verb: String)(t: NamedTable): String =
    if (verb == "SHOW") s"Compactions are commits. Write: DESCRIBE HISTORY ${t.name}"
    else s"A compaction runs at once, without a plan. Write: OPTIMIZE ${t.name}"

  private def copied(rest: List[Token]): TableCommand = {
    val format = rest.dropWhile(word(_) != "FILEFORMAT") match {
      case _ :: Word("=") :: Part(name) :: _ => name.toLowerCase(Locale.ROOT)
      case _ => "parquet"
    }
    val path = rest.collectFirst { case Quoted(text) => text }.getOrElse("/path")
    refused("COPY INTO",
      t =>
        "No list of files that were loaded is kept. Write: " +
          s"INSERT INTO ${t.name} SELECT * FROM $format.`${path.replace("`", "``")}`")
  }

  /** CREATE TABLE .. CLONE: a statement about the table that is cloned. */
  private def clone(rest: List[Token]): Option[TableCommands] = rest match {
    case Word("OR") :: Word("REPLACE") :: Word("TABLE") :: more =>
      cloneTo("CREATE OR REPLACE TABLE", more)
    case Word("TABLE") :: Word("IF") :: Word("NOT") :: Word("EXISTS") :: more =>
      cloneTo("CREATE TABLE IF NOT EXISTS", more)
    case Word("TABLE") :: more => cloneTo("CREATE TABLE", more)
    case _ => None
  }

  private def cloneTo(create: String, tokens: List[Token]): Option[TableCommands] = tokens match {
    case Name(_, rest) =>
      clone(create, written(sqlText, tokens.dropRight(rest.size)), rest)
    case _ => None
  }

  private def clone(create: String, to: String, rest: List[Token]): Option[TableCommands] =
    rest match {
      case Word(depth @ ("SHALLOW" | "DEEP")) :: Word("CLONE") :: Target(of, more) =>
        Some(of(cloned(s"$depth CLONE", create, to, more)))
      case Word("CLONE") :: Target(of, more) => Some(of(cloned("CLONE", create, to, more)))
      case _ => None
    }

  private def cloned(
      words: String,
      create: String,
      to: String,
      rest: List[Token]
  ): TableCommand = {
    val travel = rest.takeWhile(token => !Set("TBLPROPERTIES", "LOCATION")(word(token)))
    refused(
      s"CREATE TABLE ... $words",
      t => {
        val from = Seq(t.name, written(sqlText, travel)).filter(_.nonEmpty).mkString(" ")
        val copy = create + t.copied(to, from = from).stripPrefix("CREATE TABLE")
        s"Two tables cannot share files. Write: $copy"
      }
    )
  }

  private def altered(rest: List[Token]): Option[TableCommand] = rest match {
    case Word("ADD") :: Word("PARTITION") :: Word("FIELD") :: PartitionTransform(field, _) =>
      Some(partitioned("ADD PARTITION FIELD", field.addTo))
    case Word("DROP") :: Word("PARTITION") :: Word("FIELD") :: PartitionTransform(field, _) =>
      Some(partitioned("DROP PARTITION FIELD", field.removeFrom))
    case Word("REPLACE") :: Word("PARTITION") :: Word("FIELD") ::
        PartitionTransform(old, Word("WITH") :: PartitionTransform(field, _)) =>
      Some(partitioned("REPLACE PARTITION FIELD", t => field.addTo(old.removeFrom(t))))
    case Word("WRITE") :: order => Some(ordered(order))
    case Word("SET") :: Word("IDENTIFIER") :: Word("FIELDS") :: Names(fields) =>
      Some(altering(
        "SET IDENTIFIER FIELDS",
        t =>
          s"The key of a table is fixed. Write: ${t.copy(key = fields.map(_.mkString("."))).copied()}"
      ))
    case Word("DROP") :: Word("IDENTIFIER") :: Word("FIELDS") :: _ =>
      Some(altering(
        "DROP IDENTIFIER FIELDS",
        t =>
          s"The key of a table is fixed. Write: ${t.withoutKey.copied(to = t.named("rows"))}"
      ))
    case Word("CREATE") :: Word("OR") :: Word("REPLACE") :: Word(kind @ ("BRANCH" | "TAG")) ::
        more =>
      Some(kept(s"CREATE OR REPLACE $kind", more))
    case Word(verb @ ("CREATE" | "REPLACE")) :: Word(kind @ ("BRANCH" | "TAG")) :: more =>
      Some(kept(s"$verb $kind", more))
    case Word("DROP") :: Word(kind @ ("BRANCH" | "TAG")) :: _ =>
      Some(altering(s"DROP $kind",
        t =>
          "Savepoints keep versions. To find them, write: " +
            s"SELECT instant FROM ${t.name}.history WHERE action = 'savepoint'"))
    case Word("DROP") :: Word("FEATURE") :: _ =>
      Some(altering(
        "DROP FEATURE",
        t =>
          s"A table has a version instead of features. To see it, write: DESCRIBE DETAIL ${t.name}"
      ))
    case _ => None
  }

  private def partitioned(words: String, change: PartitionedCopy => PartitionedCopy): TableCommand =
    altering(words,
      t =>
        s"The partition columns of a table are fixed. Write: ${change(PartitionedCopy(t)).text}")

  private def ordered(order: List[Token]): TableCommand = {
    val words = order.map(word).takeWhile(_ != "BY")
    altering(
      s"WRITE ${words.mkString(" ")}",
      t =>
        if (t.key.isEmpty) "For an order of a result, add ORDER BY to the query."
        else
          "Each row has its file by its key, and the rows of a file are in the order of the record " +
            s"key. For another order of a result, write: SELECT * FROM ${t.name} ORDER BY " +
            t.key.mkString(", ")
    )
  }

  private def kept(words: String, rest: List[Token]): TableCommand = {
    val name = rest match {
      case Word("IF") :: Word("NOT") :: Word("EXISTS") :: Part(name) :: _ => name
      case Part(name) :: _ => name
      case _ => ""
    }
    altering(words,
      t =>
        "A savepoint keeps the present version. Write: " +
          t.called("savepoint", s"comment => ${Literal(name).sql}"))
  }

  private def altering(words: String, fix: NamedTable => String): TableCommand =
    refused(s"ALTER TABLE ... $words", fix)

  private def refused(words: String, fix: NamedTable => String): TableCommand =
    Refused(words, isClause = false, fix)
}
