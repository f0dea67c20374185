package hudilite.spark.meta

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.catalog.HudiliteTable

/** One of the lists that a table can give of itself: `SELECT * FROM t.files`.
  * @param name   behind the table's name
  * @param schema of the rows
  * @param rows   reads the timeline and folders, and no base file */
final case class MetadataRows(
    name: String,
    schema: StructType,
    rows: HudiliteTable => Seq[InternalRow]
)

object MetadataRows {

  /** All lists, by name. */
  val all: Map[String, MetadataRows] = Seq(
    MetadataRows("history", HistoryRows.schema, table => HistoryRows.of(table)),
    MetadataRows("files", FileRows.schema, table => FileRows.of(new FileList(table))),
    MetadataRows("file_groups", FileGroupRows.schema, FileGroupRows.of),
    MetadataRows("partitions", PartitionRows.schema, PartitionRows.of),
    MetadataRows("bootstrap", BootstrapRows.schema, table => BootstrapRows.of(table))
  ).map(list => list.name -> list).toMap

  /** A row of texts, numbers and what may be missing of them. */
  def row(values: Any*): InternalRow = InternalRow.fromSeq(values.map {
    case known: Option[_] => known.map(inRow).orNull
    case value => inRow(value)
  })

  private def inRow(value: Any): Any = value match {
    case text: String => UTF8String.fromString(text)
    case other => other
  }
}
