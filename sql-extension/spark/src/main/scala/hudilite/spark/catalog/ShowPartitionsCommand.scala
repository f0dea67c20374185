package hudilite.spark.catalog

import org.apache.spark.sql.catalyst.expressions.{Attribute, Cast, EvalMode, Literal}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.{Row, SparkSession}

import hudilite.format.PartitionPath
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.KeyText

/** SHOW PARTITIONS: lists the partitions that have a base file in the latest snapshot, as
  * `column=value/..` with Hive's escapes.
  * @param wanted text of some partition columns that a listed partition must have; None is null */
final case class ShowPartitionsCommand(
    table: HudiliteTable,
    wanted: Map[String, Option[String]],
    override val output: Seq[Attribute]
) extends LeafRunnableCommand {

  override def run(session: SparkSession): Seq[Row] = {
    val fields = table.config.partitionFields
    def isWanted(values: Seq[Option[String]]): Boolean =
      fields.zip(values).forall { case (field, value) => wanted.get(field).forall(_ == value) }
    table.snapshot.occupied(isWanted, isWanted).map(path => Row(shown(path, fields)))
  }

  private def shown(path: String, fields: Seq[String]): String = {
    PartitionPath.decode(path, table.config).fold(path) { values =>
      PartitionPath.encode(fields, values.map(_.orNull), hiveStyle = true, urlEncode = true)
    }
  }
}

object ShowPartitionsCommand {

  /** @param spec columns and values of the PARTITION (..) clause
    * Errors: HUDILITE_UNSUPPORTED_STATEMENT for a table without partition columns,
    * HUDILITE_UNSUPPORTED_CLAUSE for a column that is not a partition column. */
  def of(
      table: HudiliteTable,
      spec: Map[String, String],
      output: Seq[Attribute]
  ): ShowPartitionsCommand = {
    val fields = table.config.partitionFields
    if (fields.isEmpty)
      throw AnalysisErrors.of(
        "HUDILITE_UNSUPPORTED_STATEMENT",
        "statement" -> "SHOW PARTITIONS",
        "table" -> table.name,
        "fix" -> "It has no partition columns."
      )
    val wanted = spec.map { case (name, value) =>
      val field = TableDeclaration.column(table.schema, Seq(name)).filter(fields.contains)
      field.getOrElse {
        throw AnalysisErrors.of(
          "HUDILITE_UNSUPPORTED_CLAUSE",
          "clause" -> s"PARTITION ($name)",
          "table" -> table.name,
          "fix" -> s"Write its partition columns: ${fields.mkString(", ")}."
        )
      } -> Option(value)
    }
    wanted.keys.find(!table.config.holdsValue(_)).foreach { name =>
      throw AnalysisErrors.of(
        "HUDILITE_UNSUPPORTED_CLAUSE",
        "clause" -> s"PARTITION ($name)",
        "table" -> table.name,
        "fix" -> s"The folders of column $name are dates. Leave the clause out."
      )
    }
    ShowPartitionsCommand(table, wanted.map { case (f, v) => f -> text(table, f, v) }, output)
  }

  /** Text of a value in a folder name; None for null, empty text and the default partition. */
  private def text(table: HudiliteTable, field: String, value: Option[String]): Option[String] =
    value.filter(v => v.nonEmpty && v != PartitionPath.DefaultValue).map { text =>
      val typed = Cast(Literal.create(text, StringType), table.schema(field).dataType, Some("UTC"),
        EvalMode.ANSI)
      KeyText.expression(typed).eval().toString
    }
}
