package hudilite.spark.repair

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.read.PartitionValues
import hudilite.view.FileSlice

/** File slices from which a rewrite chooses (driver side). */
object SlicesOf {

  /** Returns the latest slices of some partitions of a table.
    * @param columns partition columns of the table
    * @param wanted  partitions to choose from, by the values of `columns` */
  def partitions(
      table: HudiliteTable,
      columns: StructType,
      wanted: InternalRow => Boolean
  ): Seq[FileSlice] = table.snapshot.slicesOf(paths(table, columns, wanted))

  /** Returns the paths of some partitions of a table. Parameters as of [[partitions]]. */
  def paths(
      table: HudiliteTable,
      columns: StructType,
      wanted: InternalRow => Boolean
  ): Seq[String] = {
    def mayBeWanted(texts: Seq[Option[String]]) =
      PartitionValues.parse(texts, table.config, columns).forall(wanted)
    table.snapshot.partitions(mayBeWanted)
  }
}
