package hudilite.spark.merge

import hudilite.format.FileId
import hudilite.view.{FileSlice, SliceBase}

/** Limits of the log files of a slice, beyond which a write makes a new base file: so reads stay fast,
  * and no compaction has to be planned.
  * @param commits number of the last commit before the write. Commits that change all file groups make
  *                new base files for a few of them each, so that all take about as long
  * Source: merge-on-read §8.4 */
private[spark] final case class LogLimits(commits: Long) {
  import LogLimits._

  /** Whether a log file may be added to a slice. One that has a log file of a version which is not known
    * to be whole, or no base, gets a new base file. */
  private[merge] def mayAppend(slice: FileSlice): Boolean = slice.base match {
    case _: SliceBase.Stored =>
      val files = slice.logs.size
      (files < fewest || files < mostFiles && !isTurnOf(slice)) && bytesLeft(slice) > 0
    case SliceBase.NoBase => false
  }

  /** Whether it is the turn of a file group to get a new base file: every so many commits it is. */
  private def isTurnOf(slice: FileSlice): Boolean = {
    val number = FileId.bucketOf(slice.fileId).getOrElse(slice.fileId.hashCode)
    Math.floorMod(commits + number, period) == 0
  }
}

private[spark] object LogLimits {

  /** Number of log files of a slice from which on a write makes a new base file if it is the file
    * group's turn. */
  private val fewest = 8

  /** Number of log files from which on each write makes a new base file. */
  private val mostFiles = 16

  /** Commits from one turn of a file group to its next. */
  private val period = 12

  /** Log files may have this part of the base's bytes. */
  private val share = 5

  /** Bytes of log files that a slice may have, however small its base is. */
  private val least = 1L << 20

  /** Greatest size of a new log file, which stays in memory. */
  private val most = 256L << 20

  /** Returns the greatest size in bytes of the next log file. */
  private[merge] def bytesLeft(slice: FileSlice): Long =
    math.min(most, math.max(baseLength(slice) / share, least) - slice.logs.map(_.length).sum)

  /** Bytes of the rows under the log files: those of a skeleton are in its source file, too. */
  private def baseLength(slice: FileSlice): Long = slice.copy(logs = Nil).wholeLength
}
