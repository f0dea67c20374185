package hudilite.timeline

import hudilite.format.BaseFileName

/** What a commit says about one base file that it wrote.
  * @param fileId          file group
  * @param path            relative to the table, with the partition
  * @param prevCommit      instant of the version before, or the text "null" for a new file group
  * @param prevBaseFile    name of the version before
  * @param partitionPath   relative partition path, "" when the table has none
  * @param numWrites       rows in the file
  * @param numInserts      rows that are new
  * @param numUpdateWrites rows that were changed
  * @param numDeletes      rows that were taken out
  * @param totalWriteBytes bytes written
  * @param fileSizeInBytes length of the file
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
    fileSizeInBytes: Long
) {

  /** Name of the file. */
  def fileName: String = BaseFileName.last(path)
}

object WriteStat {

  /** [[WriteStat.prevCommit]] of a new file group. */
  val noCommit = "null"
}
