package hudilite.spark.merge

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.write.NoCopy
import hudilite.timeline.WriteStat
import hudilite.view.FileSlice

/** File of a file group that a preview does not write (task side).
  * @param closed facts of the file, if it were written */
final class UnwrittenFile private (
    override val rows: NewRows,
    closed: () => NewGroupFile.Closed
) extends NewGroupFile {
  override def needsAllKeys: Boolean = false
  override def addKey(key: UTF8String): Unit = ()
  override def close(written: Long): NewGroupFile.Closed = closed()
  override def abandon(): Unit = ()
}

object UnwrittenFile {

  /** Stands for a base file, whose size is not known. */
  def of(file: NewBaseFile): UnwrittenFile = new UnwrittenFile(
    file.rows,
    () => NewGroupFile.Closed(file.name.toString, 0, RowGroupCounts.none)
  )

  /** Stands for a log file, whose content is in memory. */
  def of(log: NewLog, slice: FileSlice): UnwrittenFile = new UnwrittenFile(
    log.rows,
    () =>
      NewGroupFile.Closed(slice.fileId, log.length, RowGroupCounts.none,
        Some(slice.instant -> WriteStat.Log(1, "", Nil)))
  )
}

/** Receiver of the rows of a merge that counts those of the new base file (task side).
  * @param skipping rows of the old base file, if the merge does not pass each of them */
final class UnwrittenMerge[R <: BaseFileRows](skipping: Option[Long]) extends MergeOutput[R] {
  private var passed, growth = 0L

  override def carry(old: R): Unit = passed += 1
  override def update(old: R, values: UnsafeRow): Unit = passed += 1
  override def delete(old: R): Unit = growth -= 1

  override def insert(old: R, key: UTF8String, values: UnsafeRow): Unit = {
    passed += 1
    growth += 1
  }

  override def finish(): Long = skipping.fold(passed)(_ + growth)

  override def noCopy: Option[NoCopy] = None
}
