package hudilite.spark.repair

import org.apache.spark.sql.classic.SparkSession

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.rewrite.RewriteCommit
import hudilite.timeline.CommitMetadata
import hudilite.view.FileSlice

/** Compaction of file slices of a merge-on-read table: the rows of a base and its log files become the
  * next base file of the file group. Runs on the driver, with one task for each file group. No plan
  * is written, so readers see the slices before or after it.
  * Source: merge-on-read §5.4. */
object Compaction {

  /** Compacts the slices in one commit; makes none for an empty list.
    * @param slices slices with log files
    * @return the new files, in the order of `slices`
    * Errors: HUDILITE_CORRUPT_DATA_FILE, HUDILITE_MISSING_DATA_FILE, HUDILITE_UNSUPPORTED_TABLE if the
    * rows of the log files cannot be merged; those of a commit. */
  def commit(
      session: SparkSession,
      table: HudiliteTable,
      slices: Seq[FileSlice]
  ): Seq[FileGroupResult] =
    RewriteCommit.ofSlices(session, table, CommitMetadata.compact, slices)
}
