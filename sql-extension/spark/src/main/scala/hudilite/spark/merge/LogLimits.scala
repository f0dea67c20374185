package hudilite.spark.merge

import hudilite.format.FileId
import hudilite.view.{FileSlice, SliceBase}

/** Limits of the log files of a slice, beyond which a write makes a new base file: so reads stay fast,
  * and no compaction has to be planned.
  * Source: merge-on-read §8.4 */
private[merge] object LogLimits {

  /** Number of log files of a slice from which on a write makes a new base file. Buckets have different
    * numbers, so that not all get a new base file in one commit. */
  private val fewest = 8

  /** Log files may have this part of the base's bytes. */
  private val share = 5

  /** Bytes of log files that a slice may have, however small its base is. */
  private val least = 1L << 20

  /** Greatest size of a new log file, which stays in memory. */
  private val most = 256L << 20

  /** Whether a log file may be added to a slice. One that has a log file of a version which is not known
    * to be whole, or no base, gets a new base file. */
  def mayAppend(slice: FileSlice): Boolean = slice.base match {
    case _: SliceBase.Stored => slice.logs.size < maxFiles(slice) && bytesLeft(slice) > 0
    case SliceBase.NoBase => false
  }

  /** Returns the greatest size in bytes of the next log file. */
  def bytesLeft(slice: FileSlice): Long =
    math.min(most, math.max(baseLength(slice) / share, least) - slice.logs.map(_.length).sum)

  /** Bytes of the rows under the log files: those of a skeleton are in its source file, too. */
  private def baseLength(slice: FileSlice): Long = slice.copy(logs = Nil).wholeLength

  private def maxFiles(slice: FileSlice): Int =
    fewest + FileId.bucketOf(slice.fileId).getOrElse(0) % fewest
}
