package hudilite.timeline

import org.apache.hadoop.fs.Path

import hudilite.format.{BaseFileName, LogFileName}

/** Entry of one written base or log file in a commit.
  * @param fileId          id of the file group
  * @param path            path relative to the table, with the partition
  * @param prevCommit      instant of the previous base file, or "null" for a new file group
  * @param prevBaseFile    name of the previous base file
  * @param partitionPath   relative partition path, "" if the table has none
  * @param numWrites       rows in the file
  * @param numInserts      rows that are new
  * @param numUpdateWrites rows that were changed
  * @param numDeletes      rows that were deleted
  * @param totalWriteBytes bytes written
  * @param fileSizeInBytes length of the file
  * @param log             what the entry of a log file also contains; None for a base file
  * @param writeErrors     rows that stock Hudi could not write; hudilite has none
  * Source: hudi-format §3.6. */
final case class WriteStat(
    fileId: String,
    path: String,
    prevCommit: String,
    prevBaseFile: Option[String],
    partitionPath: String,
    numWrites: Long,
    numInserts: Long,
    numUpdateWrites: Long,
    numDeletes: Long,
    totalWriteBytes: Long,
    fileSizeInBytes: Long,
    log: Option[WriteStat.Log] = None,
    writeErrors: Long = 0L
) {

  /** Whether the file begins a file group. */
  def isOfNewGroup: Boolean = prevCommit == WriteStat.noCommit

  /** Returns the name of the file. */
  def fileName: String = BaseFileName.last(path)
}

object WriteStat {

  /** Slice to which a log file was added.
    * @param version   number of the log file in its slice
    * @param baseFile  name of the base file, "" if there is none
    * @param logFiles  names of the log files of the slice, the new one last
    * Source: merge-on-read §3.1. */
  final case class Log(version: Int, baseFile: String, logFiles: Seq[String])

  /** Value of [[WriteStat.prevCommit]] for a new file group. */
  val noCommit = "null"

  /** Returns the statistics in an entry of a commit's metadata.
    * @param partition partition under which the metadata list the entry
    * @param path      path of the metadata's file in errors
    * @param text      returns the text of a field, None if the entry lacks it
    * @param count     returns the number in a field, 0 if the entry lacks it
    * @param list      returns the texts in a field, none if the entry lacks it
    * Errors: HUDILITE_CORRUPT_TIMELINE if the entry lacks file id or path. */
  private[timeline] def of(partition: String, path: Path)(
      text: String => Option[String],
      count: String => Long,
      list: String => Seq[String]
  ): WriteStat = {
    def needed(field: String): String =
      text(field).getOrElse(throw Timeline.corrupt(path, s"a write stat lacks $field"))
    val file = needed("path")
    WriteStat(
      needed("fileId"),
      file,
      text("prevCommit").getOrElse(noCommit),
      text("prevBaseFile"),
      text("partitionPath").getOrElse(partition),
      count("numWrites"),
      count("numInserts"),
      count("numUpdateWrites"),
      count("numDeletes"),
      count("totalWriteBytes"),
      count("fileSizeInBytes"),
      LogFileName.parse(BaseFileName.last(file)).map { name =>
        Log(name.version, text("baseFile").getOrElse(""), list("logFiles"))
      },
      count("totalWriteErrors")
    )
  }
}
