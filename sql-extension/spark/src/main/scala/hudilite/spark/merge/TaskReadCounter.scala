package hudilite.spark.merge

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.hudilite.ThreadBytes

import hudilite.spark.locate.TaggedRow
import hudilite.view.FileSlice

/** Counter of what one task reads, and of source rows that change something (task side).
  *
  * Created when the first source row is available: by then the sort has read all of them, so bytes
  * of the source do not count as bytes of the table.
  */
final class TaskReadCounter {
  private val bytesRead = ThreadBytes.readFromNow()
  private val opened = mutable.Set.empty[String]
  private var keyed, keyless, changing = 0L

  /** Counts a tagged row, unless it stands for a file group to visit. */
  def take(tagged: UnsafeRow): Unit =
    if (TaggedRow.hasKey(tagged)) keyed += 1
    else if (!TaggedRow.hasFileGroup(tagged)) keyless += 1

  /** Counts a source row that inserts, updates, moves or deletes a row. */
  def change(): Unit = change(1)

  /** Counts several of them. */
  def change(rows: Long): Unit = changing += rows

  /** Returns the number of source rows so far that change something. */
  def changes: Long = changing

  /** Sets this number back, to merge a file group again. */
  def resetChanges(to: Long): Unit = changing = to

  /** Counts a file group that is read. Calling it again for the same file group has no effect. */
  def open(slice: FileSlice): Unit = opened += s"${slice.partition}/${slice.fileId}"

  def counts: TaskCounts = TaskCounts(opened.size.toLong, bytesRead(), keyed, keyless, changing)
}
