package hudilite.format

/** Name of a log file: `.<fileId>_<instant>.log.<version>_<writeToken>`.
  * @param fileId     id of the file group; contains no `.` and no `_`
  * @param instant    instant time in the name: in a table of version 6 that of the slice's base
  *                   file, later that of the deltacommit; 14 or 17 digits
  * @param version    number of the log file in its slice, from 1
  * @param writeToken `<partition>-<stage>-<attempt>` of the task that wrote the file
  * Source: merge-on-read §2. */
final case class LogFileName(fileId: String, instant: String, version: Int, writeToken: String) {
  def text: String = s".${fileId}_$instant.log.${version}_$writeToken"
}

object LogFileName {

  /** Returns the number of the next log file in a slice.
    * @param logs log files of the slice */
  def nextVersion(logs: Seq[LogFileName]): Int = logs.map(_.version).maxOption.getOrElse(0) + 1
  private val pattern =
    "\\.([^._/]+)_([0-9]{14}|[0-9]{17})\\.log\\.([0-9]{1,9})_([0-9]+-[0-9]+-[0-9]+)".r

  /** Returns the parts of a file name, or None if it is not the name of a log file. */
  def parse(name: String): Option[LogFileName] = name match {
    case pattern(fileId, instant, version, writeToken) =>
      Some(LogFileName(fileId, instant, version.toInt, writeToken))
    case _ => None
  }
}
