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

/** Storage on any file system that Hadoop knows. All can be read. `hdfs` is written: there a rename
  * without overwrite is atomic at the name node. What other stores promise differs: they are written
  * where the user says that no two writers are at work, so that the look at a name before it is
  * taken is enough.
  * @param root uri of a path on that file system
  * @param conf Hadoop's settings, among them [[HadoopStorage.SingleWriter]] */
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

  /** A file is durable on HDFS when it is closed with hsync, which is up to its writer; nothing
    * is left to do. */
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

  /** Schemes, between commas, on which the user sees to it that one writer at a time writes a
    * table. */
  val SingleWriter = "spark.hudilite.write.singleWriter"
}
