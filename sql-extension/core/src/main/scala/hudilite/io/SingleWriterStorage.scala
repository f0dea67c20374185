package hudilite.io

import java.io.IOException
import java.util.Arrays

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path, StreamCapabilities}

/** Storage on a file system without a safe way to create a file, for which the user guarantees that
  * never two writers are at work on a table. It looks at a name before it takes it, and at the
  * content afterwards, which finds a second writer often and not always.
  * @param scheme of the paths there */
private[io] final class SingleWriterStorage(scheme: String, protected val files: FileSystem)
    extends HadoopStorage {

  override def warning: Option[String] = Some(
    s"Two writers at the same time would overwrite each other's commits on $scheme://. hudilite " +
      s"writes there because ${SingleWriterStorage.setting} contains $scheme."
  )

  def createNew(path: Path, bytes: Array[Byte]): Boolean =
    if (status(path).nonEmpty) false
    else {
      val temporary = Storage.temporary(path)
      try {
        write(temporary, bytes)
        take(temporary, path)
        Arrays.equals(read(path), bytes)
      } finally files.delete(temporary, false): Unit
    }

  def replace(path: Path, bytes: Array[Byte]): Unit = {
    val temporary = Storage.temporary(path)
    try {
      write(temporary, bytes)
      files.delete(path, false)
      move(temporary, path)
    } finally files.delete(temporary, false): Unit
  }

  def delete(path: Path): Boolean = files.delete(path, false)

  def deleteTree(dir: Path): Boolean = files.delete(dir, true)

  def mkdirs(dir: Path): Unit =
    if (!files.mkdirs(dir)) throw new IOException(s"Folder $dir cannot be made")

  /** Checks that a file exists; there is no way to sync it once it is closed. */
  def fsync(path: Path): Unit = if (status(path).isEmpty) throw Storage.missing(path)

  private def write(path: Path, bytes: Array[Byte]): Unit =
    Using.resource(files.create(path, false)) { out =>
      out.write(bytes)
      if (out.hasCapability(StreamCapabilities.HSYNC)) out.hsync()
    }

  private def take(from: Path, to: Path): Unit =
    try move(from, to)
    catch { case e: IOException => throw new UnknownOutcomeException(to, e) }

  private def move(from: Path, to: Path): Unit =
    if (!files.rename(from, to)) throw new IOException(s"$from cannot be renamed to $to")
}

private[hudilite] object SingleWriterStorage {

  /** Setting: schemes, separated by commas, for which the user guarantees that only one writer at a
    * time writes to a table. */
  val setting = "spark.hudilite.write.singleWriter"

  private[io] def isDeclared(scheme: String, conf: Configuration): Boolean =
    conf.getTrimmedStrings(setting).contains(scheme)
}
