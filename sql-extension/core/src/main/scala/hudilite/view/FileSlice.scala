package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.commit.CommittedFile
import hudilite.format.{BaseFileName, Bucket}

/** One version of a file group: a base and the log files that change its rows.
  * @param partition relative partition path, "" when the table has none
  * @param fileId    id of the file group
  * @param instant   instant of the commit that wrote the base
  * @param base      base file, skeleton with its source file, or nothing
  * @param logs      log files in the order in which they apply
  * @param bucket    bucket of the file group; None in a table without buckets, and if the file id
  *                  contains none */
final case class FileSlice(
    partition: String,
    fileId: String,
    instant: String,
    base: SliceBase,
    logs: Seq[LogFile] = Nil,
    bucket: Option[Bucket] = None
) {

  /** Base of a slice without log files, whose rows are all in it. Whatever reads rows or keys of a
    * slice, or trusts counts of its base, takes the files from here.
    * @throws IllegalStateException if there are log files or no base: their rows would be lost */
  def onlyBase: SliceBase.Stored =
    if (logs.isEmpty) stored
    else throw new IllegalStateException(s"INTERNAL: $place has ${logs.size} log files")

  /** Whether all rows are in the base. */
  def isOnlyBase: Boolean = logs.isEmpty && base != SliceBase.NoBase

  /** Files with rows: that of the base with its data columns, and the log files. */
  def files: Seq[StoredFile] =
    (base match {
      case stored: SliceBase.Stored => Seq(stored.data)
      case SliceBase.NoBase => Nil
    }) ++ logs

  /** Bootstrap source file with the data, if the base is a skeleton. */
  def source: Option[SourceFile] = base match {
    case SliceBase.Skeleton(_, _, source) => Some(source)
    case SliceBase.BaseFile(_, _) | SliceBase.NoBase => None
  }

  /** Returns the slice whose base is the skeleton of a bootstrap source file. */
  def over(source: SourceFile): FileSlice =
    copy(base = SliceBase.Skeleton(stored.path, stored.length, source))

  /** Whether the base is this file. */
  private[view] def isOfBase(file: CommittedFile): Boolean = baseName.contains(file.name)

  /** Full path of the base file or skeleton.
    * @throws IllegalStateException if there is none */
  def path: Path = stored.path

  /** Name of the base file or skeleton; throws as [[path]]. */
  def fileName: String = path.getName

  /** Name of the base file or skeleton, None if there is none. */
  def baseName: Option[String] = Option.when(base != SliceBase.NoBase)(fileName)

  /** Path of the base file or skeleton relative to the table; throws as [[path]]. */
  def place: String = BaseFileName.place(partition, fileName)

  /** Paths of the slice's files in the table, relative to it: that of the base file or skeleton, if
    * there is one, and those of the log files. */
  def places: Seq[String] =
    (baseName.toSeq ++ logs.map(_.path.getName)).map(BaseFileName.place(partition, _))

  /** Returns the slice of the base alone, None if there is no base. */
  def withoutLogs: Option[FileSlice] = Option.when(base != SliceBase.NoBase)(copy(logs = Nil))

  /** Size in bytes of the slice's files in the table. */
  def length: Long = base.length + logs.map(_.length).sum

  /** Estimated size in bytes of one base file with all columns: that of a skeleton plus its source
    * file. */
  def wholeLength: Long = length + source.fold(0L)(_.length)

  /** Size in bytes of the files with the data columns: the log files, and the base or for a skeleton its
    * source file. */
  def dataLength: Long = source.fold(base.length)(_.length) + logs.map(_.length).sum

  private def stored: SliceBase.Stored = base match {
    case file: SliceBase.Stored => file
    case SliceBase.NoBase =>
      throw new IllegalStateException(s"INTERNAL: file group $fileId has no base file at $instant")
  }
}

object FileSlice {

  /** Returns the slice of one base file.
    * @param path   full path
    * @param length size in bytes */
  def ofBase(
      partition: String,
      fileId: String,
      instant: String,
      path: Path,
      length: Long
  ): FileSlice = FileSlice(partition, fileId, instant, SliceBase.BaseFile(path, length))
}
