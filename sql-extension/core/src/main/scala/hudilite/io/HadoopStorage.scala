package hudilite.io

import java.io.FileNotFoundException

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{EtagSource, FileStatus, FileSystem, ParentNotDirectoryException, Path}

/** Storage on one of Hadoop's file systems: the calls that read. Every file system can be read;
  * they differ in how a file is created only if its name is free. */
private[hudilite] trait HadoopStorage extends Storage {

  /** Hadoop's access to the file system. */
  protected def files: FileSystem

  /** Returns the size of a page of S3 and of HDFS; other stores have larger ones. */
  def longListing: Int = 1000

  def list(dir: Path, detailed: String => Boolean): Seq[FileEntry] =
    try files.listStatus(dir).toVector.map(entry).filter(e => Storage.isVisible(e.name))
    catch { case e: FileNotFoundException if isAbsence(e) => Vector.empty }

  /** Whether an error of a listing says that the folder is absent. */
  protected def isAbsence(e: FileNotFoundException): Boolean = true

  def status(path: Path): Option[FileEntry] =
    try Some(entry(files.getFileStatus(path)))
    catch { case _: FileNotFoundException | _: ParentNotDirectoryException => None }

  def read(path: Path): Array[Byte] = readTagged(path)._1

  override def readTagged(path: Path): (Array[Byte], Option[String]) = present(path) {
    val found = files.getFileStatus(path)
    (content(found), HadoopStorage.etag(found))
  }

  override def readListed(path: Path, length: Long, most: Long): Array[Byte] =
    present(path)(content(new FileStatus(length, false, 1, 0L, 0L, path), most))

  private def content(found: FileStatus, most: Long = Storage.maxReadBytes): Array[Byte] = {
    Storage.checkReadable(found.getPath, found.getLen, most)
    Using.resource(WholeFile.open(files, found)) { in =>
      val bytes = new Array[Byte](found.getLen.toInt)
      in.readFully(0L, bytes)
      bytes
    }
  }

  private def present[A](path: Path)(body: => A): A =
    try body
    catch { case _: FileNotFoundException => throw Storage.missing(path) }

  private def entry(s: FileStatus): FileEntry =
    FileEntry(s.getPath, s.getLen, s.isDirectory, s.getModificationTime, HadoopStorage.etag(s))
}

private[io] object HadoopStorage {

  private def etag(status: FileStatus): Option[String] = status match {
    case tagged: EtagSource => Option(tagged.getEtag)
    case _ => None
  }

  /** Returns the storage for a path that is not on a local disk, by what its file system can do. A
    * file system without a safe way to create a file is written only if the user has declared a
    * single writer, see [[SingleWriterStorage]].
    * @param root qualified path
    * @param conf Hadoop's settings
    * Errors: HUDILITE_SETTING_INVALID. */
  def of(root: Path, conf: Configuration): Storage = {
    val scheme = root.toUri.getScheme
    lazy val files = PathFileSystem.of(root, conf)
    if (scheme == "hdfs") new HdfsStorage(root.toUri, conf)
    else
      ExclusiveCreate.of(files, root) match {
        case Right(exclusive) => new ObjectStorage(root, files, exclusive, StoreCall.limit(conf))
        case Left(_) if SingleWriterStorage.isDeclared(scheme, conf) =>
          new SingleWriterStorage(scheme, files)
        case Left(unsafe) => new ReadOnlyStorage(files, unsafe)
      }
  }
}
