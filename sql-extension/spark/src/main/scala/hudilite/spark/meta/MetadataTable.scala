package hudilite.spark.meta

import java.util

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read.{LocalScan, Scan, ScanBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.spark.catalog.HudiliteTable

/** Read-only Spark table over the rows of a metadata table, such as `t.files`; they are computed on
  * the driver. */
final class MetadataTable(of: HudiliteTable, list: MetadataRows) extends Table with SupportsRead {

  override def name: String = s"${of.name}.${list.name}"

  override val schema: StructType = list.schema

  override def capabilities: util.Set[TableCapability] = util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () => scan

  private def scan: Scan = new LocalScan {
    override def readSchema: StructType = list.schema
    override def rows: Array[InternalRow] = list.rows(of).toArray
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
}
