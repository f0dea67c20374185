package hudilite.io

import java.io.{ByteArrayOutputStream, FileNotFoundException, IOException}
import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue}
import java.util.{Collection, List => JavaList, Map => JavaMap}

import scala.concurrent.duration.FiniteDuration
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Abortable.AbortableResult
import org.apache.hadoop.fs._
import org.apache.hadoop.util.Progressable
import org.apache.hadoop.util.functional.RemoteIterators

/** Object store on local files: an object is there when its stream is closed, a conditional create
  * is exclusive, and each request may fail as a test asks. A builder that is not recursive needs the
  * folder, as with the connector of GCS.
  * @param isConditional whether it says that it creates by a condition
  * @param ignores       whether it creates again in spite of the condition
  * @param looks         whether it only looks for an object before it creates one */
class FakeStore(isConditional: Boolean = true, ignores: Boolean = false, looks: Boolean = false)
    extends RawLocalFileSystem {
  import FakeStore._

  def this() = this(true, false, false)

  /** Faults of the next puts, one after another. */
  val faults = new ConcurrentLinkedQueue[Fault]

  /** Faults of the next looks at an owner. */
  val lookFaults = new ConcurrentLinkedQueue[Fault]

  /** Errors of the next listings. */
  val listFaults = new ConcurrentLinkedQueue[IOException]
  val puts, bulkDeletes, opened = new AtomicInteger

  private val late = new ConcurrentLinkedQueue[Thread]
  private val tokens = new ConcurrentHashMap[String, String]
  private var place = URI.create("fake://bucket")

  override def initialize(name: URI, conf: Configuration): Unit = {
    super.initialize(name, conf)
    place = new URI(name.getScheme, name.getAuthority, None.orNull, None.orNull, None.orNull)
  }
  override def getUri: URI = Option(place).getOrElse(URI.create("fake://bucket"))
  override def getScheme: String = getUri.getScheme
  override protected def checkPath(path: Path): Unit = ()

  override def hasPathCapability(path: Path, capability: String): Boolean = capability match {
    case ExclusiveCreate.conditional => isConditional
    case "fs.s3a.create.performance" => true
    case _ => false
  }

  override def createFile(path: Path): FSDataOutputStreamBuilder[FSDataOutputStream, FakeBuilder] =
    new FakeBuilder(this, path).create()

  override def create(
      path: Path,
      overwrite: Boolean,
      buffer: Int,
      replication: Short,
      block: Long,
      progress: Progressable
  ): FSDataOutputStream = open(path, isExclusive = !overwrite, "")

  private[io] def open(path: Path, isExclusive: Boolean, token: String): FSDataOutputStream = {
    opened.incrementAndGet()
    val stream = new FakeStream(bytes => put(path, bytes, isExclusive && !ignores, token))
    new FSDataOutputStream(stream, Option.empty[FileSystem.Statistics].orNull)
  }

  override def getXAttr(path: Path, name: String): Array[Byte] = {
    Option(lookFaults.poll()).foreach(strike(_)(()))
    if (!LocalStorage.status(path).isDefined) throw new FileNotFoundException(path.toString)
    val token = Option(tokens.get(path.toUri.getPath)).filter(_ => name.endsWith("-token"))
    token.map(_.getBytes(UTF_8)).orNull
  }

  override def listStatus(dir: Path): Array[FileStatus] = {
    Option(listFaults.poll()).foreach(throw _)
    super.listStatus(dir)
  }

  override def listFiles(dir: Path, recursive: Boolean): RemoteIterator[LocatedFileStatus] = {
    Option(listFaults.poll()).foreach(throw _)
    def below(folder: Path): Seq[FileEntry] =
      LocalStorage.list(folder).flatMap(e => if (e.isDirectory) below(e.path) else Seq(e))
    RemoteIterators.remoteIteratorFromIterable(
      below(dir).map { entry =>
        val status = new FileStatus(entry.length, false, 1, 0L, 0L, entry.path)
        new LocatedFileStatus(status, Array.empty[BlockLocation])
      }.asJava
    )
  }

  override def createBulkDelete(base: Path): BulkDelete = new BulkDelete {
    override def pageSize(): Int = 3
    override def basePath(): Path = base
    override def close(): Unit = ()
    override def bulkDelete(paths: Collection[Path]): JavaList[JavaMap.Entry[Path, String]] = {
      bulkDeletes.incrementAndGet()
      paths.asScala.foreach { path =>
        LocalStorage.delete(path)
        LocalStorage.deleteEmpty(path.getParent) // a store has no folders
      }
      JavaList.of()
    }
  }

  private def put(path: Path, bytes: Array[Byte], isExclusive: Boolean, token: String): Unit = {
    puts.incrementAndGet()
    def overwrite(): Unit = {
      LocalStorage.mkdirs(path.getParent)
      LocalStorage.replace(path, bytes)
      tokens.put(path.toUri.getPath, token): Unit
    }
    def effect(): Unit =
      if (!isExclusive) overwrite()
      else if (looks && LocalStorage.status(path).isEmpty) {
        Thread.sleep(lookMillis)
        overwrite()
      } else if (LocalStorage.createNew(path, bytes)) tokens.put(path.toUri.getPath, token): Unit
      else throw new IOException(s"412 $path")
    Option(faults.poll()).fold(effect())(strike(_)(effect()))
  }

  /** Waits for the requests that are executed late. */
  def settle(): Unit = late.asScala.foreach(_.join())

  private def strike(fault: Fault)(effect: => Unit): Unit = fault match {
    case Dropped => throw new IOException("connection reset")
    case LostAnswer =>
      effect
      throw new IOException("connection reset")
    case DroppedAfter(time) =>
      Thread.sleep(time.toMillis)
      throw new IOException("connection reset")
    case Refused => throw new java.nio.file.AccessDeniedException("403")
    case Late(after) =>
      val thread = new Thread(() => {
        Thread.sleep(after.toMillis)
        try effect
        catch { case _: IOException => () }
      })
      thread.setDaemon(true)
      late.add(thread)
      thread.start()
      throw new IOException("connection reset")
    case Slow(time) =>
      Thread.sleep(time.toMillis)
      effect
    case SlowAnswer(time) =>
      effect
      Thread.sleep(time.toMillis)
  }
}

object FakeStore {
  private val lookMillis = 20L

  sealed trait Fault
  case object Dropped extends Fault
  case object LostAnswer extends Fault
  case object Refused extends Fault
  final case class DroppedAfter(time: FiniteDuration) extends Fault
  final case class Late(after: FiniteDuration) extends Fault
  final case class Slow(time: FiniteDuration) extends Fault
  final case class SlowAnswer(time: FiniteDuration) extends Fault

  /** Store with a bucket of its own, so that each test sees the check of a new bucket. */
  def apply(isConditional: Boolean = true, ignores: Boolean = false): FakeStore =
    of(new FakeStore(isConditional, ignores))

  def of[F <: FileSystem](files: F): F = {
    files.initialize(URI.create(s"fake://b${java.util.UUID.randomUUID}/"), new Configuration(false))
    files
  }

  /** The path of a local folder in a store. */
  def at(files: FileSystem, path: Path): Path = files.makeQualified(new Path(path.toUri.getPath))
}

class FakeBuilder(store: FakeStore, path: Path)
    extends FSDataOutputStreamBuilder[FSDataOutputStream, FakeBuilder](store, path) {
  override def getThisBuilder: FakeBuilder = this
  override def build(): FSDataOutputStream = {
    val options = getOptions
    rejectUnknown()
    if (!isRecursive && LocalStorage.status(path.getParent).isEmpty)
      throw new FileNotFoundException(s"$path: no such folder")
    store.open(
      path,
      isExclusive = options.get(ExclusiveCreate.conditional, "false") == "true",
      options.get("fs.s3a.create.header.hudilite-token", "")
    )
  }

  private def rejectUnknown(): Unit =
    rejectUnknownMandatoryKeys(java.util.Set.of(ExclusiveCreate.conditional), "")
}

private class FakeStream(closed: Array[Byte] => Unit)
    extends ByteArrayOutputStream
    with Abortable
    with StreamCapabilities {
  private var isOpen = true

  override def close(): Unit = if (isOpen) {
    isOpen = false
    closed(toByteArray)
  }
  override def abort(): AbortableResult = {
    val wasClosed = !isOpen
    isOpen = false
    new AbortableResult {
      override def alreadyClosed(): Boolean = wasClosed
      override def anyCleanupException(): IOException = Option.empty[IOException].orNull
    }
  }
  override def hasCapability(name: String): Boolean =
    name == CommonPathCapabilities.ABORTABLE_STREAM
}
