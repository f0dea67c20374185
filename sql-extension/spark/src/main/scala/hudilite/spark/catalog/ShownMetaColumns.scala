package hudilite.spark.catalog

import java.util

import org.apache.spark.sql.connector.catalog.{
  MetadataColumn,
  SupportsMetadataColumns,
  SupportsRead,
  Table,
  TableCapability
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.spark.plan.MetaColumns
import hudilite.spark.read.FileColumn

/** Table as stock Hudi's DataFrame source shows it: Hudi's meta columns are columns, before the others.
  * @param table the table, with meta columns in its files */
final class ShownMetaColumns(private val table: HudiliteTable)
    extends Table
    with SupportsRead
    with SupportsMetadataColumns {
  override def name: String = table.name

  override def schema: StructType = MetaColumns.before(table.schema)

  override def capabilities: util.Set[TableCapability] = table.capabilities

  override def metadataColumns: Array[MetadataColumn] = Array(FileColumn.ofTable)

  override def partitioning: Array[Transform] = table.partitioning

  override def properties: util.Map[String, String] = table.properties

  override def id: String = table.id

  override def version: String = table.version

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    table.newScanBuilder(options)

  override def toString: String = name

  override def equals(other: Any): Boolean = other match {
    case shown: ShownMetaColumns => shown.table == table
    case _ => false
  }

  override def hashCode: Int = table.hashCode
}
