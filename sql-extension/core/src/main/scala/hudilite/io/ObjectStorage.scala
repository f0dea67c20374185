package hudilite.io

import java.io.{FileNotFoundException, IOException}

import scala.concurrent.duration.FiniteDuration
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.fs.{FileSystem, Path}

/** Storage in an object store. A file becomes visible whole when it is complete, and a folder is
  * part of the names alone, so there is nothing to sync and no folder to make. An interrupted
  * thread finishes its current call.
  * @param root      path of a table in the store
  * @param exclusive how the store creates an object only if its name is free
  * @param limit     time to wait for a store that does not answer */
private[io] final class ObjectStorage(
    root: Path,
    protected val files: FileSystem,
    exclusive: ExclusiveCreate,
    limit: FiniteDuration
) extends HadoopStorage {
  private val create = new Creation(exclusive, limit)
  private val bucket = files.makeQualified(new Path("/"))

  /** Returns each entry once. A connector may list a folder twice: as the object that stands for it,
    * and as a part of the names of others. */
  override def list(dir: Path, detailed: String => Boolean): Seq[FileEntry] =
    call(super.list(dir, detailed)).distinctBy(_.name)

  /** A listing of nothing is an empty answer, which s3a turns into an error of its own. An error with
    * a cause is an answer of the store, which does not say that there is nothing. */
  override protected def isAbsence(e: FileNotFoundException): Boolean =
    !exclusive.isFlat || Option(e.getCause).isEmpty

  override def status(path: Path): Option[FileEntry] = call(super.status(path))

  override def exists(file: Path): Boolean =
    if (exclusive.isFlat) call(WholeFile.exists(files, file)) else super.exists(file)

  override def readTagged(path: Path): (Array[Byte], Option[String]) = call(super.readTagged(path))

  override def readListed(path: Path, length: Long, most: Long): Array[Byte] =
    call(super.readListed(path, length, most))

  def createNew(path: Path, bytes: Array[Byte]): Boolean = {
    new StoreProbe(this, root).passOnce()
    createUnchecked(path, bytes)
  }

  private[io] override def createUnchecked(path: Path, bytes: Array[Byte]): Boolean =
    create(path, bytes)

  def guarantee: CreateGuarantee = exclusive.guarantee(root.toUri.getScheme)

  override def tagged: Option[TaggedWrites] =
    Option.when(exclusive.isConditional && files.hasPathCapability(root, ConditionalReplace.byTag))(
      new ConditionalReplace(this, files, root)
    )

  /** Waits for a call of the store, and after an interrupt for a limited time. */
  private[io] def patiently[A](body: => A): A = call(body)

  override def touch(path: Path): Unit = call(exclusive.touch(path))

  def replace(path: Path, bytes: Array[Byte]): Unit = call(exclusive.replace(path, bytes))

  def delete(path: Path): Boolean = call(files.delete(path, false))

  override def deleteAll[A](found: Seq[A])(path: A => Path): Seq[A] = {
    if (found.nonEmpty)
      call(Using.resource(files.createBulkDelete(bucket)) { bulk =>
        found.map(path).map(files.makeQualified).grouped(bulk.pageSize).foreach { page =>
          bulk.bulkDelete(page.asJava).asScala.headOption.foreach { failed =>
            throw new IOException(s"${failed.getKey} cannot be deleted: ${failed.getValue}")
          }
        }
      })
    found
  }

  def deleteTree(dir: Path): Boolean = call(files.delete(dir, true))

  override def deleteFilesBelow(dir: Path): Unit =
    if (exclusive.isFlat) deleteAll(filesBelow(dir))(identity): Unit
    else super.deleteFilesBelow(dir)

  private def filesBelow(dir: Path): Seq[Path] = call {
    try {
      val found = files.listFiles(dir, true)
      Iterator.continually(found).takeWhile(_.hasNext).map(_.next().getPath).toVector
    } catch { case e: FileNotFoundException if isAbsence(e) => Vector.empty }
  }

  def deleteEmpty(dir: Path): Boolean = list(dir).isEmpty && call(files.delete(dir, false))

  def mkdirs(dir: Path): Unit = ()

  def fsync(path: Path): Unit = ()

  private def call[A](body: => A): A = StoreCall.patiently(limit)(body)
}
