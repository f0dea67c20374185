package hudilite.spark.read

import java.util

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read.{Scan, ScanBuilder, SupportsPushDownRequiredColumns}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.spark.plan.MetaColumns
import hudilite.view.{FileSlice, TableSnapshot}

/** Read-only relation over the rows of given base files of a table, whatever snapshot they belong
  * to. Hudi's meta columns come first.
  * @param columns columns of the table
  * @param slices  file slices to read */
final class SlicesTable(
    spark: SparkSession,
    override val name: String,
    columns: StructType,
    snapshot: TableSnapshot,
    slices: Seq[FileSlice]
) extends Table
    with SupportsRead {

  override val schema: StructType = MetaColumns.before(columns)

  override def capabilities: util.Set[TableCapability] = util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new ScanBuilder with SupportsPushDownRequiredColumns {
      private var wanted = schema
      override def pruneColumns(required: StructType): Unit = wanted = required
      override def build(): Scan = {
        val partitions = slices.map(_.partition).distinct.size
        val all = SliceSelection(slices, partitions, partitions, None, slices.size)
        new HudiliteScan(spark, name, columns, snapshot, ScanRequest(wanted), options, None,
          Some(all))
      }
    }
}
