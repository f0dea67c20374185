package hudilite.io

import java.io.IOException
import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  FSDataOutputStream,
  FileAlreadyExistsException,
  FileContext,
  FileSystem,
  Options,
  Path
}

/** Storage on HDFS, whose rename without overwrite is atomic at the name node. A file is durable if
  * its writer closed it after hsync.
  * @param root uri of a path there
  * @param conf Hadoop's settings */
private[io] final class HdfsStorage(root: URI, conf: Configuration) extends RenamingStorage {
  protected lazy val files: FileSystem = FileSystem.get(root, conf)
  private lazy val context = FileContext.getFileContext(root, conf)

  def guarantee: CreateGuarantee = HdfsStorage.guarantee

  protected def take(temporary: Path, path: Path, bytes: Array[Byte]): Boolean =
    try {
      context.rename(temporary, path, Options.Rename.NONE)
      true
    } catch {
      case _: FileAlreadyExistsException => false
      case e: IOException => throw new UnknownOutcomeException(path, e)
    }

  protected def overwrite(temporary: Path, path: Path): Unit =
    context.rename(temporary, path, Options.Rename.OVERWRITE)

  protected def sync(out: FSDataOutputStream): Unit = out.hsync()
}

private object HdfsStorage {
  private val guarantee = CreateGuarantee(
    "a rename of a temporary file, which does not overwrite",
    "Use HDFS itself, not a gateway to another file system."
  )
}
