package hudilite.io

import java.io.IOException
import java.util.Arrays

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataOutputStream, FileSystem, Path, StreamCapabilities}

/** Storage on a file system without a safe way to create a file, for which the user guarantees that
  * never two writers are at work on a table. It looks at a name before it takes it, and at the
  * content afterwards, which finds a second writer often and not always.
  * @param scheme of the paths there */
private[io] final class SingleWriterStorage(scheme: String, protected val files: FileSystem)
    extends RenamingStorage {

  override def warning: Option[String] = Some(
    s"Two writers at the same time would overwrite each other's commits on $scheme://. hudilite " +
      s"writes there because ${SingleWriterStorage.setting} contains $scheme."
  )

  def guarantee: CreateGuarantee = CreateGuarantee(
    s"a look at the name before, which is safe for one writer at a time (" +
      s"${SingleWriterStorage.setting} contains $scheme)",
    "Use a location on file, hdfs, s3a, gs or abfs."
  )

  protected def take(temporary: Path, path: Path, bytes: Array[Byte]): Boolean = {
    try move(temporary, path)
    catch { case e: IOException => throw new UnknownOutcomeException(path, e) }
    Arrays.equals(read(path), bytes)
  }

  protected def overwrite(temporary: Path, path: Path): Unit = {
    files.delete(path, false)
    move(temporary, path)
  }

  protected def sync(out: FSDataOutputStream): Unit =
    if (out.hasCapability(StreamCapabilities.HSYNC)) out.hsync()

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
