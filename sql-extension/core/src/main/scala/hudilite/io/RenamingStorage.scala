package hudilite.io

import java.io.IOException

import scala.util.Using

import org.apache.hadoop.fs.{FSDataOutputStream, Path}

/** Storage that writes a small file under a temporary name first, and then renames it: the calls
  * that write. */
private[io] trait RenamingStorage extends HadoopStorage {

  /** Gives a complete temporary file its name, unless the name is taken.
    * @param bytes content of the file
    * @return false if the name is taken
    * Errors: UnknownOutcomeException. */
  protected def take(temporary: Path, path: Path, bytes: Array[Byte]): Boolean

  /** Gives a complete temporary file the name of a file that may exist. */
  protected def overwrite(temporary: Path, path: Path): Unit

  /** Makes what was written to a stream durable, as far as the file system can do so. */
  protected def sync(out: FSDataOutputStream): Unit

  def createNew(path: Path, bytes: Array[Byte]): Boolean =
    if (status(path).nonEmpty) false else through(path, bytes)(take(_, path, bytes))

  def replace(path: Path, bytes: Array[Byte]): Unit = through(path, bytes)(overwrite(_, path))

  def delete(path: Path): Boolean = files.delete(path, false)

  def deleteTree(dir: Path): Boolean = files.delete(dir, true)

  def deleteEmpty(dir: Path): Boolean = list(dir).isEmpty && files.delete(dir, false)

  def mkdirs(dir: Path): Unit =
    if (!files.mkdirs(dir)) throw new IOException(s"Folder $dir cannot be made")

  /** Checks that a file exists. There is nothing to sync once it is closed. */
  def fsync(path: Path): Unit = if (status(path).isEmpty) throw Storage.missing(path)

  private def through[A](path: Path, bytes: Array[Byte])(rename: Path => A): A = {
    val temporary = Storage.temporary(path)
    try {
      Using.resource(files.create(temporary, false)) { out =>
        out.write(bytes)
        sync(out)
      }
      rename(temporary)
    } finally files.delete(temporary, false): Unit
  }
}
