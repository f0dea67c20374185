package hudilite.spark.exec

import scala.collection.mutable

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.hudilite.ThreadBytes

import hudilite.view.FileSlice

/** Counts what one task reads, and which source rows change something (task side).
  *
  * Made once the first source row is there: by then a sort has taken in all of them, so that no byte
  * of the source is counted as one of the table.
  */
final class TaskTally {
  private val bytesRead = ThreadBytes.readFromNow()
  private val opened = mutable.Set.empty[Path]
  private var keyed, keyless, changing = 0L

  /** Takes in a tagged row. One without a key that has a bucket all the same stands for a file group
    * to visit, and for no source row. */
  def take(tagged: UnsafeRow): Unit =
    if (!tagged.isNullAt(MergeFacts.KeyAt)) keyed += 1
    else if (tagged.getInt(MergeFacts.BucketAt) < 0) keyless += 1

  /** Takes in that a source row inserts, updates, moves or deletes a row. */
  def change(): Unit = changing += 1

  /** Takes in that a base file is read from; a second time counts no more. */
  def open(slice: FileSlice): Unit = opened += slice.path

  def counts: TaskCounts = TaskCounts(opened.size.toLong, bytesRead(), keyed, keyless, changing)
}
