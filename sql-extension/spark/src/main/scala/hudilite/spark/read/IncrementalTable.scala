package hudilite.spark.read

import java.util

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.view.Increment

/** Table of an incremental query: the rows that some commits wrote, with Hudi's meta columns first,
  * as stock Hudi's incremental query returns them. The analyzer replaces it by a read of the files
  * with a filter; see [[hudilite.spark.analyze.ResolveIncremental]].
  * @param columns columns of the table */
final class IncrementalTable(
    spark: SparkSession,
    override val name: String,
    columns: StructType,
    val increment: Increment
) extends Table
    with SupportsRead {

  /** Relation over the base files, with all their rows. */
  val files: SlicesTable =
    new SlicesTable(spark, name, columns, increment.snapshot, increment.slices)

  override def schema: StructType = files.schema

  override def capabilities: util.Set[TableCapability] = files.capabilities

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    throw new IllegalStateException(s"INTERNAL: $name is read before it was resolved")
}
