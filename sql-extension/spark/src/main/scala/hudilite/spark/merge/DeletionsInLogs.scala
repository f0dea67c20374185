package hudilite.spark.merge

import org.apache.spark.sql.catalyst.expressions.Attribute

import hudilite.format.{LogBlock, LogFileBlocks, MergeOrder}
import hudilite.io.Storage
import hudilite.view.FileSlice

/** Search for deletions in the log files of a slice (task side). */
private[merge] object DeletionsInLogs {

  /** Whether log files of a slice may have deleted a row of its base. Reads the log files.
    * @param columns columns of the table
    * Errors: those of [[LogFileBlocks]]. */
  def mayBe(slice: FileSlice, columns: Seq[Attribute], storage: Storage): Boolean =
    slice.logs.nonEmpty && (columns.exists(_.name == MergeOrder.isDeleted) ||
      slice.logs.exists { log =>
        val bytes = storage.readListed(log.path, log.length, Storage.maxArrayBytes)
        LogFileBlocks.read(bytes, log.path.toString).blocks.exists(_.kind == LogBlock.delete)
      })
}
