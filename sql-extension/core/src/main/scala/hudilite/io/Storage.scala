package hudilite.io

import java.io.{FileNotFoundException, IOException}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException

/** Every call that hudilite's own code makes on a file system; the data files' bytes alone go
  * through Parquet.
  *
  * Errors of the file system come out as the IOException that it raised. */
trait Storage {

  /** Direct children of a folder, without `.crc` side files and without files half written by
    * [[createNew]].
    * @return nothing when the folder is absent; a duplicate or a missing order does no harm */
  def list(dir: Path): Seq[FileEntry] = list(dir, _ => true)

  /** The same where a name is enough for most.
    * @param detailed names of what is told whole; of the rest length and time may be 0, and a folder
    *                 may pass for a file */
  def list(dir: Path, detailed: String => Boolean): Seq[FileEntry]

  /** Names of what [[list]] shows, where that is all one needs. */
  def names(dir: Path): Seq[String] = list(dir).map(_.name)

  /** Length in bytes of all files below a folder, those that [[list]] does not show included. */
  def bytesBelow(dir: Path): Long =
    list(dir).map(entry => if (entry.isDirectory) bytesBelow(entry.path) else entry.length).sum

  /** @return what lies at a path, or nothing */
  def status(path: Path): Option[FileEntry]

  /** Whole content of a small file.
    * Errors: HUDILITE_MISSING_FILE, HUDILITE_LIMIT_EXCEEDED over [[Storage.maxReadBytes]]. */
  def read(path: Path): Array[Byte]

  /** Puts a file in place, whole and durable, unless the name is taken. Missing parent folders are
    * made.
    * @return false when the name is taken: that file stays as it is
    * Errors: HUDILITE_UNSAFE_STORAGE where the scheme has no safe way; UnknownOutcomeException
    * when the file may or may not appear; after any other error a look at the path tells. */
  def createNew(path: Path, bytes: Array[Byte]): Boolean

  /** Creates an empty file unless the name is taken. A loss of power may take it away again: for
    * hints and markers, which nothing rests on.
    * @return false when the name is taken */
  def touch(path: Path): Boolean = createNew(path, Array.emptyByteArray)

  /** Puts a small file in place of what is there, whole and durable; a reader sees the old or the
    * new one.
    * Errors: HUDILITE_UNSAFE_STORAGE where the scheme has no safe way. */
  def replace(path: Path, bytes: Array[Byte]): Unit

  /** Deletes one file.
    * @return false when it is absent */
  def delete(path: Path): Boolean

  /** Deletes a folder and all in it; a symbolic link is removed, never followed.
    * @return false when it is absent */
  def deleteTree(dir: Path): Boolean

  /** Makes a folder and its parents. */
  def mkdirs(dir: Path): Unit

  /** Readies a folder of a table for a base file; on a local disk it is made, durably, which Hadoop
    * would not do.
    * @param relative path below the table's
    * Errors: HUDILITE_PATH_INVALID where a symbolic link leads out of the table. */
  def enter(base: Path, relative: String): Unit = ()

  /** Makes a written file and its name durable. */
  def fsync(path: Path): Unit

  /** The same of several files, with less for each. */
  def fsyncAll(paths: Seq[Path]): Unit = paths.foreach(fsync)
}

object Storage {

  /** Largest file that [[Storage.read]] accepts. */
  val maxReadBytes: Long = 64L << 20

  /** Storage for the scheme of a path. Every scheme can be read; `file` and `hdfs` can be written.
    * @param path a table's base path
    * @param conf Hadoop's settings */
  def of(path: Path, conf: Configuration): Storage = {
    val uri = if (path.toUri.getScheme == "file") path.toUri else qualified(path, conf).toUri
    val plain: Storage =
      if (uri.getScheme == "file") LocalStorage else new HadoopStorage(uri, conf)
    layer.fold(plain)(_.over(plain))
  }

  /** What tests put between us and a storage. */
  trait Layer {
    def over(plain: Storage): Storage
  }

  /** A class that the JVM's own options name. */
  private lazy val layer = Option(System.getProperty("hudilite.storage.layer")).map { name =>
    Class.forName(name).asSubclass(classOf[Layer]).getDeclaredConstructor().newInstance()
  }

  /** Path below a folder; unlike Hadoop's own constructor it takes any character in the names.
    * @param relative names joined by `/`, "" for the folder itself */
  def resolve(dir: Path, relative: String): Path =
    if (relative.isEmpty) dir else new Path(dir, new Path(null, null, relative))

  /** A path with its scheme, absolute.
    * Errors: IOException for a scheme that nobody serves. */
  def qualified(path: Path, conf: Configuration): Path =
    path.getFileSystem(conf).makeQualified(path)

  /** Why a base file could not be opened that a file system calls not found: that may mean that this
    * process may not open it.
    * @param instant commit that wrote it
    * @return HUDILITE_MISSING_DATA_FILE, or HUDILITE_PATH_INVALID where it is there */
  def unopened(
      path: Path,
      instant: String,
      conf: Configuration,
      e: FileNotFoundException
  ): HudiliteException =
    try
      if (of(path, conf).status(path).nonEmpty) denied(path, e)
      else
        new HudiliteException(
          "HUDILITE_MISSING_DATA_FILE",
          Map("path" -> path.toString, "instant" -> instant),
          e
        )
    catch { case why: IOException => denied(path, why) }

  /** The system's own words for a fault stand in brackets behind the path. */
  private[io] def denied(path: Path, e: IOException): HudiliteException = unusable(
    path,
    e.toString.replaceFirst("(?s).*\\((.+)\\)$", "$1"),
    "It is there: mend the rights of this process, or its ulimit -n.",
    e
  )

  private[io] def unusable(path: Path, reason: String, fix: String, e: Throwable) =
    new HudiliteException(
      "HUDILITE_PATH_INVALID",
      Map("path" -> path.toString, "reason" -> reason, "fix" -> fix),
      e
    )

  private[io] def missing(path: Path): HudiliteException =
    HudiliteException("HUDILITE_MISSING_FILE", "path" -> path.toString)

  private[io] def checkReadable(path: Path, length: Long): Unit =
    if (length > maxReadBytes)
      throw HudiliteException(
        "HUDILITE_LIMIT_EXCEEDED",
        "path" -> path.toString,
        "value" -> length.toString,
        "limit" -> maxReadBytes.toString
      )

  /** Name of the file that [[Storage.createNew]] writes first. */
  private[io] def temporary(path: Path): Path =
    resolve(path.getParent, s".${path.getName}.${java.util.UUID.randomUUID}$temporaryEnd")

  private[io] def isVisible(name: String): Boolean =
    !(name.startsWith(".") && (name.endsWith(".crc") || name.endsWith(temporaryEnd)))

  /** Side file with checksums that Hadoop's local file system keeps; a stale one makes a good
    * file unreadable. */
  private[io] def checksum(path: Path): Path = resolve(path.getParent, s".${path.getName}.crc")

  private val temporaryEnd = ".hudilite-new"
}
