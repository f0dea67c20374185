package hudilite.spark.catalog

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{MetadataBuilder, StructField}
import org.apache.spark.sql.{Row, SparkSession}

import hudilite.format.IndexKind

/** SHOW CREATE TABLE: returns a CREATE TABLE statement that creates the same table again, or adopts
  * it if it is external, as the statement then has its LOCATION.
  * @param nameParts catalog, database and table as Spark resolved them */
final case class ShowCreateTableCommand(
    table: HudiliteTable,
    nameParts: Seq[String],
    override val output: Seq[Attribute]
) extends LeafRunnableCommand {
  import ShowCreateTableCommand._

  override def run(session: SparkSession): Seq[Row] = Seq(Row(text))

  private def text: String = (
    Seq(
      s"CREATE TABLE ${nameParts.map(quoteIfNeeded).mkString(".")} (",
      (table.schema.map(column) ++ named(config.recordKeyFields).map(k => s"PRIMARY KEY $k") ++
        config.checks.map { case (name, condition) => CheckConstraints.ddl(name, condition) })
        .mkString("  ", ",\n  ", ")"),
      "USING hudilite"
    ) ++ buckets ++ partitions ++ clause(TableCatalog.PROP_COMMENT, "COMMENT") ++ location ++
      properties
  ).mkString("", "\n", "\n")

  private def config = table.config

  private def buckets: Option[String] = config.index match {
    case IndexKind.Bucket(n, _) => Some(bucketsClause(table, n))
    case IndexKind.Bloom => None
  }

  private def partitions: Option[String] =
    named(config.partitionFields).map(columns => s"PARTITIONED BY $columns")

  /** Returns a list of columns for a clause. None if it is empty, or if one is no column that a
    * statement can name: then the table is only read, and needs no clause. */
  private def named(columns: Seq[String]): Option[String] =
    Option.when(columns.nonEmpty && columns.forall(table.schema.fieldNames.contains))(list(columns))

  private def location: Option[String] =
    if (table.properties.containsKey(TableCatalog.PROP_EXTERNAL))
      clause(TableCatalog.PROP_LOCATION, "LOCATION")
    else None

  private def clause(property: String, word: String): Option[String] =
    Option(table.properties.get(property)).map(value => s"$word ${literal(value)}")

  private def properties: Option[String] = {
    val shown = facts(table)
    val pairs = SQLConf.get.redactOptions(shown).toSeq.sorted.map { case (k, v) =>
      s"  ${literal(k)} = ${literal(v)}"
    }
    Option.when(pairs.nonEmpty)(pairs.mkString("TBLPROPERTIES (\n", ",\n", ")"))
  }

  /** DDL of a column. Its comment is added here, as Spark's toDDL does not escape backslashes. */
  private def column(field: StructField): String = {
    val bare = new MetadataBuilder().withMetadata(field.metadata).remove("comment").build()
    field.copy(metadata = bare).toDDL +
      GeneratedColumns.expressionOf(field).fold("")(of => s" ${GeneratedColumns.ddl(of)}") +
      field.getComment().map(text => s" COMMENT ${literal(text)}").getOrElse("")
  }
}

object ShowCreateTableCommand {

  /** Returns the table properties with which a CREATE TABLE declares a table again, without those
    * that have clauses. */
  private[catalog] def facts(table: HudiliteTable): Map[String, String] = {
    val config = table.config
    val ordering = Some(config.orderingFields.mkString(",")).filter(_.nonEmpty)
    val kind = Option.when(config.isMergeOnRead)(TableFacts.typeOf(config))
    table.ownProperties ++ ordering.map(PropertyRules.ordering -> _) ++
      kind.map(PropertyRules.tableType -> _) ++
      TableFacts.global(config) ++ TableFacts.newVersion(config) ++ TunableFacts.of(config)
  }

  /** Returns the clause for a number of buckets, with the columns that the table hashes. */
  private[catalog] def bucketsClause(table: HudiliteTable, count: Int): String =
    table.config.index match {
      case IndexKind.Bucket(_, fields) if fields != table.config.recordKeyFields =>
        s"WITH BUCKETS $count ON ${list(fields)}"
      case _ => s"WITH BUCKETS $count"
    }

  private[catalog] def list(names: Seq[String]): String =
    names.map(quoteIfNeeded).mkString("(", ", ", ")")

  private[catalog] def literal(value: String): String =
    s"'${value.replace("\\", "\\\\").replace("'", "\\'")}'"
}
