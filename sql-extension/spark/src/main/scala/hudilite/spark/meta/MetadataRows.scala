package hudilite.spark.meta

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.catalog.HudiliteTable

/** Definition of one metadata table, such as `SELECT * FROM t.files`.
  * @param name   part behind the table's name
  * @param schema columns of the rows
  * @param rows   returns the rows; reads the timeline, folder listings and the bootstrap index, but
  *               no base file. Runs on the driver
  * @param hidden columns that SELECT * leaves out, under the names that Iceberg has for them */
final case class MetadataRows(
    name: String,
    schema: StructType,
    rows: HudiliteTable => Seq[InternalRow],
    hidden: Seq[HiddenColumn] = Nil
)

/** Column of a metadata table that is selected by its name only.
  * @param value returns the value from a row of the other columns */
final case class HiddenColumn(name: String, dataType: DataType, value: InternalRow => Any)

object HiddenColumn {

  /** Returns another name of a column. */
  def same(name: String, schema: StructType, column: String): HiddenColumn = {
    val (place, dataType) = (schema.fieldIndex(column), schema(column).dataType)
    HiddenColumn(name, dataType, _.get(place, dataType))
  }
}

object MetadataRows {

  /** All metadata tables, by name. */
  val all: Map[String, MetadataRows] = Seq(
    MetadataRows(
      "history",
      HistoryRows.schema,
      table => HistoryRows.of(table),
      HistoryRows.hidden
    ),
    MetadataRows("snapshots", SnapshotRows.schema, SnapshotRows.of),
    MetadataRows(
      "files",
      FileRows.schema,
      table => FileRows.of(new FileList(table)),
      FileRows.hidden
    ),
    MetadataRows("file_groups", FileGroupRows.schema, FileGroupRows.of),
    MetadataRows("partitions", PartitionRows.schema, PartitionRows.of, PartitionRows.hidden),
    MetadataRows("bootstrap", BootstrapRows.schema, table => BootstrapRows.of(table))
  ).map(list => list.name -> list).toMap

  /** Builds an internal row of strings and numbers; None becomes null. */
  def row(values: Any*): InternalRow = InternalRow.fromSeq(values.map {
    case known: Option[_] => known.map(inRow).orNull
    case value => inRow(value)
  })

  /** Returns a value as an internal row has it. */
  private[meta] def inRow(value: Any): Any = value match {
    case text: String => UTF8String.fromString(text)
    case other => other
  }
}
