package hudilite.spark.meta

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.catalog.HudiliteTable

/** Definition of one metadata table, such as `SELECT * FROM t.files`.
  * @param name   part behind the table's name
  * @param schema columns of the rows
  * @param rows   returns the rows; reads the timeline, folder listings and the bootstrap index, but
  *               no base file. Runs on the driver */
final case class MetadataRows(
    name: String,
    schema: StructType,
    rows: HudiliteTable => Seq[InternalRow]
)

object MetadataRows {

  /** All metadata tables, by name. */
  val all: Map[String, MetadataRows] = Seq(
    MetadataRows("history", HistoryRows.schema, table => HistoryRows.of(table)),
    MetadataRows("files", FileRows.schema, table => FileRows.of(new FileList(table))),
    MetadataRows("file_groups", FileGroupRows.schema, FileGroupRows.of),
    MetadataRows("partitions", PartitionRows.schema, PartitionRows.of),
    MetadataRows("bootstrap", BootstrapRows.schema, table => BootstrapRows.of(table))
  ).map(list => list.name -> list).toMap

  /** Builds an internal row of strings and numbers; None becomes null. */
  def row(values: Any*): InternalRow = InternalRow.fromSeq(values.map {
    case known: Option[_] => known.map(inRow).orNull
    case value => inRow(value)
  })

  private def inRow(value: Any): Any = value match {
    case text: String => UTF8String.fromString(text)
    case other => other
  }
}
