package hudilite.io

import org.apache.hadoop.fs.{FileSystem, Path}

/** Storage on a file system to which hudilite does not write: every call that changes something
  * fails with HUDILITE_UNSAFE_STORAGE.
  * @param unsafe why it does not */
private[io] final class ReadOnlyStorage(protected val files: FileSystem, unsafe: UnsafeStore)
    extends HadoopStorage {
  def createNew(path: Path, bytes: Array[Byte]): Boolean = throw unsafe.error
  def guarantee: CreateGuarantee = throw unsafe.error
  def replace(path: Path, bytes: Array[Byte]): Unit = throw unsafe.error
  def delete(path: Path): Boolean = throw unsafe.error
  def deleteTree(dir: Path): Boolean = throw unsafe.error
  def deleteEmpty(dir: Path): Boolean = throw unsafe.error
  def mkdirs(dir: Path): Unit = throw unsafe.error
  def fsync(path: Path): Unit = throw unsafe.error
}
