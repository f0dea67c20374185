package hudilite.spark.meta

import java.util

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{
  MetadataColumn,
  SupportsMetadataColumns,
  SupportsRead,
  Table,
  TableCapability
}
import org.apache.spark.sql.connector.read.{
  LocalScan,
  Scan,
  ScanBuilder,
  SupportsPushDownRequiredColumns
}
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.spark.catalog.HudiliteTable

/** Read-only Spark table over the rows of a metadata table, such as `t.files`; they are computed on
  * the driver. */
final class MetadataTable(of: HudiliteTable, list: MetadataRows)
    extends Table
    with SupportsRead
    with SupportsMetadataColumns {

  override def name: String = s"${of.name}.${list.name}"

  override val schema: StructType = list.schema

  override def capabilities: util.Set[TableCapability] = util.EnumSet.of(TableCapability.BATCH_READ)

  override def metadataColumns: Array[MetadataColumn] =
    list.hidden.map(column => MetadataTable.Hidden(column): MetadataColumn).toArray

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new ScanBuilder with SupportsPushDownRequiredColumns {
      private var wanted = list.schema
      override def pruneColumns(required: StructType): Unit = wanted = required
      override def build(): Scan = new Rows(wanted)
    }

  final private class Rows(columns: StructType) extends LocalScan {
    private val values: Seq[InternalRow => Any] = columns.map { column =>
      list.hidden.find(_.name == column.name).fold[InternalRow => Any] {
        val place = list.schema.fieldIndex(column.name)
        _.get(place, list.schema(place).dataType)
      }(_.value)
    }

    override def readSchema: StructType = columns
    override def rows: Array[InternalRow] =
      list.rows(of).map(row => InternalRow.fromSeq(values.map(_(row)))).toArray
    override def description: String = s"hudilite $name"
  }
}

object MetadataTable {

  /** Whether a name, without that of its table, is that of a metadata table; case is ignored. */
  def isList(name: String): Boolean = MetadataRows.all.contains(name.toLowerCase(util.Locale.ROOT))

  /** Opens a metadata table.
    * @param name name for which [[isList]] is true */
  def open(table: HudiliteTable, name: String): MetadataTable =
    new MetadataTable(table, MetadataRows.all(name.toLowerCase(util.Locale.ROOT)))

  final private case class Hidden(column: HiddenColumn) extends MetadataColumn {
    override def name: String = column.name
    override def dataType: DataType = column.dataType
    override def comment: String = "column of Iceberg"
  }
}
