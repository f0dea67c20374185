package hudilite.io

import org.apache.hadoop.fs.Path

/** Storage whose calls are counted and broken as a plan says; for crash tests only.
  * @param current the plan that is armed when a call is made, if one is */
final class FaultStorage(inner: Storage, current: () => Option[FaultRun]) extends Storage {

  /** Storage with a plan of its own. */
  def this(inner: Storage, plan: FaultPlan) = this(inner, FaultStorage.always(plan))

  def list(dir: Path): Seq[FileEntry] = around("list", dir)(inner.list(dir))
  override def names(dir: Path): Seq[String] = around("names", dir)(inner.names(dir))
  def status(path: Path): Option[FileEntry] = around("status", path)(inner.status(path))
  def read(path: Path): Array[Byte] = around("read", path)(inner.read(path))
  def createNew(path: Path, bytes: Array[Byte]): Boolean =
    around("createNew", path, writeHalf(path, bytes))(inner.createNew(path, bytes))
  def replace(path: Path, bytes: Array[Byte]): Unit =
    around("replace", path, writeHalf(path, bytes))(inner.replace(path, bytes))
  def delete(path: Path): Boolean = around("delete", path)(inner.delete(path))
  def deleteTree(dir: Path): Boolean = around("deleteTree", dir)(inner.deleteTree(dir))
  def mkdirs(dir: Path): Unit = around("mkdirs", dir)(inner.mkdirs(dir))
  def fsync(path: Path): Unit = around("fsync", path)(inner.fsync(path))

  private def around[A](operation: String, path: Path, partly: => Unit = ())(call: => A): A =
    current() match {
      case Some(run) => run.around(operation, path.toString, () => call, () => partly)
      case None => call
    }

  /** What is left of a write that breaks off: a temporary file that nobody takes away. */
  private def writeHalf(path: Path, bytes: Array[Byte]): Unit =
    inner.createNew(Storage.temporary(path), bytes.take(bytes.length / 2)): Unit
}

object FaultStorage {
  private def always(plan: FaultPlan): () => Option[FaultRun] = {
    val run = Some(new FaultRun("", Some(plan)))
    () => run
  }
}
