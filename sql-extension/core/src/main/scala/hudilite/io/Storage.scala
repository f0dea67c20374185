package hudilite.io

import java.io.{FileNotFoundException, IOException}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException

/** All file system calls of hudilite's own code; only the bytes of data files go through Parquet.
  *
  * Errors of the file system are thrown as the IOException that it raised. */
trait Storage {

  /** Lists the direct children of a folder, without `.crc` side files and without the unfinished
    * files of [[createNew]].
    * @return the entries in any order, possibly with duplicates; empty if the folder is absent */
  def list(dir: Path): Seq[FileEntry] = list(dir, _ => true)

  /** Lists the direct children of a folder, for callers that need only the name of most of them.
    * @param detailed selects by name the entries that need all fields; for others, length and time
    *                 may be 0, and a folder may be reported as a file */
  def list(dir: Path, detailed: String => Boolean): Seq[FileEntry]

  /** Returns the number of entries from which on a listing of a folder costs more than a few other
    * calls. Where a listing comes in pages, it is the size of a page. */
  def longListing: Int

  /** Returns the names of the entries that [[list]] returns. */
  def names(dir: Path): Seq[String] = list(dir).map(_.name)

  /** Returns the length in bytes of all files below a folder. A file that [[list]] omits counts
    * only on a local disk. */
  def bytesBelow(dir: Path): Long =
    list(dir).map(entry => if (entry.isDirectory) bytesBelow(entry.path) else entry.length).sum

  /** Returns the file or folder at a path, or None. */
  def status(path: Path): Option[FileEntry]

  /** Whether a file exists; folders are not looked for. */
  def exists(file: Path): Boolean = status(file).nonEmpty

  /** Reads the whole content of a small file.
    * Errors: HUDILITE_MISSING_FILE; HUDILITE_LIMIT_EXCEEDED if it is larger than
    * [[Storage.maxReadBytes]]. */
  def read(path: Path): Array[Byte]

  /** Reads the whole content of a small file.
    * @return the content and its tag, if the store has tags
    * Errors: those of [[read]]. */
  def readTagged(path: Path): (Array[Byte], Option[String]) = (read(path), None)

  /** Reads the whole content of a file that never changes.
    * @param length its length in bytes, as a listing shows it
    * @param most   greatest length that is read, up to [[Storage.maxArrayBytes]]
    * Errors: HUDILITE_MISSING_FILE; HUDILITE_LIMIT_EXCEEDED if it is longer than `most`. */
  def readListed(path: Path, length: Long, most: Long = Storage.maxReadBytes): Array[Byte] = {
    Storage.checkReadable(path, length, most)
    read(path)
  }

  /** Creates a complete and durable file, unless the name is taken. Creates missing parent folders.
    * @return false if the name is taken; the existing file is not changed
    * Errors: HUDILITE_UNSAFE_STORAGE if the file system has no safe way to do this;
    * UnknownOutcomeException if the file may or may not appear. After any other error, the path
    * shows whether the file was created. */
  def createNew(path: Path, bytes: Array[Byte]): Boolean

  /** Does what [[createNew]] does, without a check of the store before. */
  private[io] def createUnchecked(path: Path, bytes: Array[Byte]): Boolean = createNew(path, bytes)

  /** How [[createNew]] finds out that a name is free.
    * Errors: HUDILITE_UNSAFE_STORAGE if the file system has no safe way to do this. */
  def guarantee: CreateGuarantee

  /** Creates an empty file, which may exist already. A power failure may remove it again, so use it
    * only for hints and markers, which nothing depends on. */
  def touch(path: Path): Unit = createNew(path, Array.emptyByteArray): Unit

  /** Replaces a small file by a complete and durable new one; a reader sees the old or the new
    * content.
    * Errors: HUDILITE_UNSAFE_STORAGE if the file system has no safe way to do this. */
  def replace(path: Path, bytes: Array[Byte]): Unit

  /** Writes that are made only if nobody has changed the file since; None if the storage has none. */
  def tagged: Option[TaggedWrites] = None

  /** Deletes one file.
    * @return false if it is absent */
  def delete(path: Path): Boolean

  /** Deletes files, with less work for each than [[delete]] where the store can do so.
    * @param path path of a file
    * @return the files that were there; a store that does not tell returns all */
  def deleteAll[A](files: Seq[A])(path: A => Path): Seq[A] = files.filter(f => delete(path(f)))

  /** Deletes a folder and everything in it. Deletes a symbolic link itself and never follows it.
    * @return false if it is absent */
  def deleteTree(dir: Path): Boolean

  /** Deletes a folder of which nothing but its files counts, such as one of markers, with less work
    * than [[deleteTree]] where the store has no folders of its own. */
  def deleteFilesBelow(dir: Path): Unit = deleteTree(dir): Unit

  /** Deletes a folder that is empty.
    * @return false if it is absent, or not empty */
  def deleteEmpty(dir: Path): Boolean

  /** Creates a folder and its parents. */
  def mkdirs(dir: Path): Unit

  /** Prepares a folder of a table for a base file. On a local disk, creates it durably, which
    * Hadoop does not do; elsewhere has no effect.
    * @param relative path of the folder, relative to the table
    * Errors: HUDILITE_PATH_INVALID if a symbolic link leads out of the table. */
  def enter(base: Path, relative: String): Unit = ()

  /** Makes a written file and its name durable. */
  def fsync(path: Path): Unit

  /** Makes several files and their names durable, with less work for each than [[fsync]]. */
  def fsyncAll(paths: Seq[Path]): Unit = paths.foreach(fsync)

  /** Sentence that warns of a storage that is written only because the user asked for it. */
  def warning: Option[String] = None
}

object Storage {

  /** Largest file that [[Storage.read]] accepts. */
  val maxReadBytes: Long = 64L << 20

  /** Length of the longest array of bytes. */
  val maxArrayBytes: Long = Int.MaxValue - 16L

  /** Returns the storage for a path. Every file system can be read. Those that can create a file
    * only if it is absent can be written, others only with [[SingleWriterStorage.setting]].
    * @param path a table's base path
    * @param conf Hadoop's settings
    * Errors: HUDILITE_SETTING_INVALID. */
  def of(path: Path, conf: Configuration): Storage = {
    val root = if (path.toUri.getScheme == "file") path else qualified(path, conf)
    val plain: Storage =
      if (root.toUri.getScheme == "file") LocalStorage else HadoopStorage.of(root, conf)
    layer.fold(plain)(_.over(plain))
  }

  /** Wrapper that tests put around a storage. */
  trait Layer {
    def over(plain: Storage): Storage
  }

  /** Wrapper whose class the JVM property `hudilite.storage.layer` names. */
  private lazy val layer = Option(System.getProperty("hudilite.storage.layer")).map { name =>
    Class.forName(name).asSubclass(classOf[Layer]).getDeclaredConstructor().newInstance()
  }

  /** Returns a path below a folder. Unlike Hadoop's own constructor, it accepts any character in
    * the names.
    * @param relative names joined by `/`, "" for the folder itself */
  def resolve(dir: Path, relative: String): Path =
    if (relative.isEmpty) dir
    else {
      val of = dir.toUri // one parse of a URI, where Hadoop's constructor of two paths takes four
      new Path(of.getScheme, of.getAuthority, s"${of.getPath}/$relative")
    }

  /** Returns the absolute path with its scheme.
    * Errors: HUDILITE_PATH_INVALID for a scheme whose file system is not on the class path. */
  def qualified(path: Path, conf: Configuration): Path =
    PathFileSystem.of(path, conf).makeQualified(path)

  /** Returns the error for a base file that could not be opened. A file system may throw
    * FileNotFoundException for a file that this process is not permitted to open.
    * @param instant commit that wrote the file
    * @return HUDILITE_MISSING_DATA_FILE, or HUDILITE_PATH_INVALID if the file exists or cannot be
    *         looked up */
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

  /** Returns the error for a path that cannot be opened. Its reason is the text in parentheses at
    * the end of the JVM's message, where the operating system's reason is. */
  private[io] def denied(path: Path, e: IOException): HudiliteException = unusable(
    path,
    e.toString.replaceFirst("(?s).*\\((.+)\\)$", "$1"),
    "It exists: check the permissions of this process and its limit of open files (ulimit -n).",
    e
  )

  private[io] def unusable(path: Path, reason: String, fix: String, e: Throwable) =
    new HudiliteException(
      "HUDILITE_PATH_INVALID",
      Map("path" -> path.toString, "reason" -> reason, "fix" -> fix),
      e
    )

  /** Returns the error for a file that exists and that the listing of its folder lacks. */
  private[hudilite] def stale(path: Path): HudiliteException =
    UnsafeStore.stale(path.toUri.getScheme, path.toString).error

  private[io] def missing(path: Path): HudiliteException =
    HudiliteException("HUDILITE_MISSING_FILE", "path" -> path.toString)

  private[io] def checkReadable(path: Path, length: Long, most: Long = maxReadBytes): Unit =
    if (length > most)
      throw HudiliteException(
        "HUDILITE_LIMIT_EXCEEDED",
        "path" -> path.toString,
        "value" -> length.toString,
        "limit" -> most.toString
      )

  /** Returns the name of the temporary file that [[Storage.createNew]] writes first. It has no
    * part of the file's own name: stock Hudi takes a name with the parts of a log file's for a log
    * file, whatever follows them.
    */
  private[io] def temporary(path: Path): Path =
    resolve(path.getParent, s".${java.util.UUID.randomUUID}$temporaryEnd")

  private[io] def isVisible(name: String): Boolean =
    !(name.startsWith(".") && (name.endsWith(".crc") || name.endsWith(temporaryEnd)))

  /** Returns the side file with checksums of Hadoop's local file system; a stale one makes an
    * intact file unreadable. */
  private[io] def checksum(path: Path): Path = resolve(path.getParent, s".${path.getName}.crc")

  private val temporaryEnd = ".hudilite-new"
}
