package hudilite.io

import java.io.{FileNotFoundException, IOException}
import java.net.URI

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  FileAlreadyExistsException,
  FileContext,
  FileStatus,
  FileSystem,
  Options,
  ParentNotDirectoryException,
  Path,
  StreamCapabilities
}

import hudilite.error.HudiliteException

/** Storage on any file system that Hadoop supports. All of them can be read. `hdfs` can be written,
  * because its rename without overwrite is atomic at the name node. Other stores give different
  * guarantees. They can be written only if the user declares that no two writers work at the same
  * time: then it is enough to check a name before taking it.
  * @param root uri of a path on that file system
  * @param conf Hadoop's settings, with [[HadoopStorage.SingleWriter]] */
final class HadoopStorage(root: URI, conf: Configuration) extends Storage {
  private val scheme = root.getScheme
  private lazy val files = FileSystem.get(root, conf)
  private lazy val context = FileContext.getFileContext(root, conf)
  private val isShared = scheme == "hdfs"

  def list(dir: Path, detailed: String => Boolean): Seq[FileEntry] =
    try files.listStatus(dir).toVector.map(entry).filter(e => Storage.isVisible(e.name))
    catch { case _: FileNotFoundException => Vector.empty }

  def status(path: Path): Option[FileEntry] =
    try Some(entry(files.getFileStatus(path)))
    catch { case _: FileNotFoundException | _: ParentNotDirectoryException => None }

  def read(path: Path): Array[Byte] = {
    val length = status(path).getOrElse(throw Storage.missing(path)).length
    Storage.checkReadable(path, length)
    Using.resource(files.open(path)) { in =>
      val bytes = new Array[Byte](length.toInt)
      in.readFully(0L, bytes)
      bytes
    }
  }

  def createNew(path: Path, bytes: Array[Byte]): Boolean = {
    checkWritable()
    if (status(path).nonEmpty) false
    else {
      val temporary = Storage.temporary(path)
      try {
        write(temporary, bytes)
        rename(temporary, path)
      } finally files.delete(temporary, false): Unit
    }
  }

  def replace(path: Path, bytes: Array[Byte]): Unit = {
    checkWritable()
    val temporary = Storage.temporary(path)
    try {
      write(temporary, bytes)
      if (isShared) context.rename(temporary, path, Options.Rename.OVERWRITE)
      else {
        files.delete(path, false)
        move(temporary, path)
      }
    } finally files.delete(temporary, false): Unit
  }

  def delete(path: Path): Boolean = {
    checkWritable()
    files.delete(path, false)
  }

  def deleteTree(dir: Path): Boolean = {
    checkWritable()
    files.delete(dir, true)
  }

  def mkdirs(dir: Path): Unit = {
    checkWritable()
    if (!files.mkdirs(dir)) throw new IOException(s"Folder $dir cannot be made")
  }

  /** Checks that a file exists. There is nothing to sync: a file on HDFS is durable if its writer
    * closed it after hsync. */
  def fsync(path: Path): Unit = {
    checkWritable()
    if (status(path).isEmpty) throw Storage.missing(path)
  }

  private def entry(s: FileStatus): FileEntry =
    FileEntry(s.getPath, s.getLen, s.isDirectory, s.getModificationTime)

  private def write(path: Path, bytes: Array[Byte]): Unit =
    Using.resource(files.create(path, false)) { out =>
      out.write(bytes)
      if (isShared || out.hasCapability(StreamCapabilities.HSYNC)) out.hsync()
    }

  private def rename(from: Path, to: Path): Boolean =
    try {
      if (isShared) context.rename(from, to, Options.Rename.NONE) else move(from, to)
      true
    } catch {
      case _: FileAlreadyExistsException => false
      case e: IOException => throw new UnknownOutcomeException(to, e)
    }

  private def move(from: Path, to: Path): Unit =
    if (!files.rename(from, to)) throw new IOException(s"$from cannot be renamed to $to")

  private def checkWritable(): Unit =
    if (!isShared && !conf.getTrimmedStrings(HadoopStorage.SingleWriter).contains(scheme))
      throw HudiliteException("HUDILITE_UNSAFE_STORAGE", "scheme" -> scheme)
}

object HadoopStorage {

  /** Setting: schemes, separated by commas, for which the user guarantees that only one writer at a
    * time writes to a table. */
  val SingleWriter = "spark.hudilite.write.singleWriter"
}
