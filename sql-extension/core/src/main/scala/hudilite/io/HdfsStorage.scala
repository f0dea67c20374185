package hudilite.io

import java.io.IOException
import java.net.URI

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileAlreadyExistsException, FileContext, FileSystem, Options, Path}

/** Storage on HDFS, whose rename without overwrite is atomic at the name node.
  * @param root uri of a path there
  * @param conf Hadoop's settings */
private[io] final class HdfsStorage(root: URI, conf: Configuration) extends HadoopStorage {
  protected lazy val files: FileSystem = FileSystem.get(root, conf)
  private lazy val context = FileContext.getFileContext(root, conf)

  def createNew(path: Path, bytes: Array[Byte]): Boolean =
    if (status(path).nonEmpty) false
    else {
      val temporary = Storage.temporary(path)
      try {
        write(temporary, bytes)
        rename(temporary, path)
      } finally files.delete(temporary, false): Unit
    }

  def replace(path: Path, bytes: Array[Byte]): Unit = {
    val temporary = Storage.temporary(path)
    try {
      write(temporary, bytes)
      context.rename(temporary, path, Options.Rename.OVERWRITE)
    } finally files.delete(temporary, false): Unit
  }

  def delete(path: Path): Boolean = files.delete(path, false)

  def deleteTree(dir: Path): Boolean = files.delete(dir, true)

  def mkdirs(dir: Path): Unit =
    if (!files.mkdirs(dir)) throw new IOException(s"Folder $dir cannot be made")

  /** Checks that a file exists. There is nothing to sync: a file on HDFS is durable if its writer
    * closed it after hsync. */
  def fsync(path: Path): Unit = if (status(path).isEmpty) throw Storage.missing(path)

  private def write(path: Path, bytes: Array[Byte]): Unit =
    Using.resource(files.create(path, false)) { out =>
      out.write(bytes)
      out.hsync()
    }

  private def rename(from: Path, to: Path): Boolean =
    try {
      context.rename(from, to, Options.Rename.NONE)
      true
    } catch {
      case _: FileAlreadyExistsException => false
      case e: IOException => throw new UnknownOutcomeException(to, e)
    }
}
