package hudilite.spark.repair

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Random sample of rows, each of which is as likely to be in it as any other (task side). The
  * sample becomes smaller, down to one row, where its rows are too long for its bytes.
  * @param most      most rows, 1 or more
  * @param mostBytes most bytes of more than one row
  * @param seed      of the choice, so that a repeated task samples the same rows */
final private[repair] class RowSample(most: Int, mostBytes: Long, seed: Long) {
  private val random = new Random(scala.util.hashing.byteswap64(seed))
  private val sampled = mutable.ArrayBuffer.empty[UnsafeRow]
  private var room = most
  private var bytes = 0L
  private var added = 0L

  /** Number of rows from which the sample was taken. */
  def count: Long = added

  /** The sampled rows. */
  def rows: Seq[UnsafeRow] = sampled.toSeq

  /** Adds a row to those from which the sample is taken.
    * @param row valid until the next one; the sample has a copy */
  def add(row: UnsafeRow): Unit = {
    added += 1
    if (added <= room) {
      sampled += row.copy()
      bytes += row.getSizeInBytes
    } else {
      val place = random.nextLong(added)
      if (place < room) {
        bytes += row.getSizeInBytes - sampled(place.toInt).getSizeInBytes
        sampled(place.toInt) = row.copy()
      }
    }
    while (bytes > mostBytes && sampled.size > 1) removeAny()
  }

  private def removeAny(): Unit = {
    val place = random.nextInt(sampled.size)
    bytes -= sampled(place).getSizeInBytes
    sampled(place) = sampled.last
    sampled.remove(sampled.size - 1)
    room = sampled.size
  }
}
