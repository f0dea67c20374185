package hudilite.spark.repair

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.rewrite.RewriteCommit
import hudilite.view.FileSlice

/** Rewrite of adopted file groups into whole base files, which need no source file. Runs on the
  * driver, with one task for each file group. */
object Materialization {

  /** Returns the latest slices of adopted file groups.
    * @param columns partition columns of the table
    * @param wanted  partitions to choose from, by the values of `columns`
    * @param most    bytes of source files that the slices may have together; at least one slice is
    *                chosen */
  def chosen(
      table: HudiliteTable,
      columns: StructType,
      wanted: InternalRow => Boolean,
      most: Option[Long]
  ): Seq[FileSlice] = {
    val adopted = SlicesOf.partitions(table, columns, wanted).filter(_.source.nonEmpty)
    most.fold(adopted)(first(adopted, _))
  }

  /** Rewrites the file groups in one commit; makes none for an empty list. */
  def commit(
      session: SparkSession,
      table: HudiliteTable,
      slices: Seq[FileSlice]
  ): Seq[FileGroupResult] = RewriteCommit.ofSlices(session, table, "UPSERT", slices)

  /** Returns the first slices whose source files have at most `most` bytes together, at least one
    * slice. */
  private def first(slices: Seq[FileSlice], most: Long): Seq[FileSlice] = {
    val before = slices.scanLeft(0L)(_ + _.dataLength).drop(1)
    slices.take(math.max(1, before.takeWhile(_ <= most).size))
  }
}
