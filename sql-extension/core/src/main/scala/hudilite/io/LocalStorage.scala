package hudilite.io

import java.io.{FileInputStream, FileNotFoundException, FileOutputStream, IOException}
import java.nio.channels.{ClosedByInterruptException, FileChannel}
import java.nio.file.attribute.BasicFileAttributes
import java.nio.file.{
  AccessDeniedException,
  DirectoryNotEmptyException,
  FileAlreadyExistsException,
  FileVisitResult,
  Files,
  LinkOption,
  NoSuchFileException,
  NotDirectoryException,
  Path => LocalPath,
  SimpleFileVisitor,
  StandardCopyOption,
  StandardOpenOption
}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException

/** Storage on `file://`. Creates a file by a hard link, the only call there that is atomic and
  * fails if the name is taken: Hadoop's create and rename, and java.nio's move, let two callers
  * win. An interrupted thread finishes its current call, so that a cancelled query leaves no doubt
  * about what it has written.
  * Source: faults §0.1. */
object LocalStorage extends Storage {

  def list(dir: Path, detailed: String => Boolean): Seq[FileEntry] =
    try
      Using.resource(Files.newDirectoryStream(local(dir))) { stream =>
        stream.asScala.flatMap { child =>
          val name = child.getFileName.toString
          if (!Storage.isVisible(name)) None
          else if (detailed(name)) attributes(child).map(entry(dir, name, _))
          else Some(FileEntry(dir, name, 0L, isDirectory = false, 0L, None))
        }.toVector
      }
    catch {
      case _: NoSuchFileException | _: NotDirectoryException => Vector.empty
      case e: AccessDeniedException => throw Storage.denied(dir, e)
    }

  /** Returns a number of names that are listed and sorted in a few milliseconds. */
  def longListing: Int = 2500

  /** Returns the names by Java's fast listing, which returns null on any error: then [[list]] finds
    * out which one it is. */
  override def names(dir: Path): Seq[String] =
    Option(local(dir).toFile.list).fold(super.names(dir))(_.toVector.filter(Storage.isVisible))

  def status(path: Path): Option[FileEntry] =
    attributes(local(path)).map(entry(path.getParent, path.getName, _))

  def read(path: Path): Array[Byte] = content(path, Storage.maxReadBytes)

  override def readListed(path: Path, length: Long, most: Long): Array[Byte] = content(path, most)

  private def content(path: Path, most: Long): Array[Byte] =
    try {
      Storage.checkReadable(path, Files.size(local(path)), most)
      Using.resource(new FileInputStream(local(path).toFile))(_.readAllBytes)
    } catch {
      case e: IOException if isAbsent(e) || Files.notExists(local(path)) =>
        throw Storage.missing(path)
      case e: FileNotFoundException => throw Storage.denied(path, e)
    }

  def createNew(path: Path, bytes: Array[Byte]): Boolean =
    if (Files.exists(local(path), LinkOption.NOFOLLOW_LINKS)) false
    else {
      mkdirs(path.getParent)
      val temporary = local(Storage.temporary(path))
      try {
        writeDurably(temporary, bytes)
        Files.deleteIfExists(local(Storage.checksum(path)))
        link(local(path), temporary)
      } finally Files.deleteIfExists(temporary)
    }

  def guarantee: CreateGuarantee = CreateGuarantee(
    "a hard link gives a complete file its name",
    "Use a disk that creates a hard link only once."
  )

  override def touch(path: Path): Unit =
    try {
      Files.createDirectories(local(path).getParent)
      Files.createFile(local(path)): Unit
    } catch { case _: FileAlreadyExistsException => () }

  def replace(path: Path, bytes: Array[Byte]): Unit = {
    val temporary = local(Storage.temporary(path))
    try {
      writeDurably(temporary, bytes)
      Files.deleteIfExists(local(Storage.checksum(path)))
      Files.move(temporary, local(path), StandardCopyOption.ATOMIC_MOVE)
      force(local(path).getParent, StandardOpenOption.READ)
    } finally Files.deleteIfExists(temporary): Unit
  }

  def delete(path: Path): Boolean =
    if (Files.isDirectory(local(path), LinkOption.NOFOLLOW_LINKS))
      throw new IOException(s"$path is a folder, not a file")
    else {
      Files.deleteIfExists(local(Storage.checksum(path)))
      Files.deleteIfExists(local(path))
    }

  def deleteTree(dir: Path): Boolean =
    if (!Files.exists(local(dir), LinkOption.NOFOLLOW_LINKS)) false
    else {
      Files.walkFileTree(local(dir), DeleteVisitor)
      true
    }

  def deleteEmpty(dir: Path): Boolean =
    Files.isDirectory(local(dir), LinkOption.NOFOLLOW_LINKS) && (
      try Files.deleteIfExists(local(dir))
      catch { case _: DirectoryNotEmptyException => false }
    )

  override def bytesBelow(dir: Path): Long =
    Using.resource(Files.walk(local(dir))) { found =>
      found.filter(Files.isRegularFile(_, LinkOption.NOFOLLOW_LINKS)).mapToLong(Files.size(_)).sum
    }

  def mkdirs(dir: Path): Unit = makeFolders(local(dir))

  override def enter(base: Path, relative: String): Unit = {
    val folder = local(Storage.resolve(base, relative))
    if (!nearest(folder).toRealPath().startsWith(local(base).toRealPath()))
      throw Storage.unusable(
        Storage.resolve(base, relative),
        "a symbolic link leads out of the table",
        "Remove the link.",
        HudiliteException.noCause
      )
    makeFolders(folder)
  }

  def fsync(path: Path): Unit = fsyncAll(Seq(path))

  override def fsyncAll(paths: Seq[Path]): Unit = {
    paths.foreach(path => force(local(path), StandardOpenOption.WRITE))
    paths.map(local(_).getParent).distinct.foreach(force(_, StandardOpenOption.READ))
  }

  private def local(path: Path): LocalPath = LocalPath.of(path.toUri.getPath)

  private def attributes(path: LocalPath): Option[BasicFileAttributes] =
    try Some(Files.readAttributes(path, classOf[BasicFileAttributes]))
    catch { case e: IOException if isAbsent(e) => None }

  private def entry(folder: Path, name: String, attributes: BasicFileAttributes): FileEntry = {
    val length = if (attributes.isDirectory) 0L else attributes.size
    val modified = attributes.lastModifiedTime.toMillis
    FileEntry(folder, name, length, attributes.isDirectory, modified, None)
  }

  private def isAbsent(e: IOException): Boolean = e match {
    case _: NoSuchFileException => true
    case other => Option(other.getMessage).exists(_.endsWith("Not a directory"))
  }

  /** Returns the path itself if it exists, or else its nearest ancestor that exists. */
  @tailrec private def nearest(path: LocalPath): LocalPath =
    if (Files.exists(path)) path else nearest(path.getParent)

  private def writeDurably(file: LocalPath, bytes: Array[Byte]): Unit =
    Using.resource(new FileOutputStream(file.toFile)) { out =>
      out.write(bytes)
      out.getFD.sync()
    }

  private def link(file: LocalPath, temporary: LocalPath): Boolean =
    try {
      Files.createLink(file, temporary)
      force(file.getParent, StandardOpenOption.READ)
      true
    } catch {
      case _: FileAlreadyExistsException => false
      case _: UnsupportedOperationException =>
        throw UnsafeStore.withoutLinks.error
    }

  /** Creates a folder and its missing parents durably: a new name is durable once its parent folder
    * is synced. */
  private def makeFolders(dir: LocalPath): Unit =
    if (!Files.isDirectory(dir)) {
      Option(dir.getParent).foreach(makeFolders)
      try {
        Files.createDirectory(dir)
        Option(dir.getParent).foreach(force(_, StandardOpenOption.READ))
      } catch { case _: FileAlreadyExistsException if Files.isDirectory(dir) => () }
    }

  /** Syncs a file or folder. An interrupt of the thread closes the channel: in that case clears the
    * interrupt, syncs again and restores the interrupt. */
  private def force(path: LocalPath, option: StandardOpenOption): Unit = {
    val done =
      try {
        Using.resource(FileChannel.open(path, option))(_.force(true))
        true
      } catch { case _: ClosedByInterruptException => false }
    if (!done) {
      Thread.interrupted()
      try force(path, option)
      finally Thread.currentThread.interrupt()
    }
  }

  private object DeleteVisitor extends SimpleFileVisitor[LocalPath] {
    override def visitFile(file: LocalPath, attributes: BasicFileAttributes): FileVisitResult =
      remove(file)
    override def visitFileFailed(file: LocalPath, e: IOException): FileVisitResult = e match {
      case _: NoSuchFileException => FileVisitResult.CONTINUE
      case other => throw other
    }
    override def postVisitDirectory(dir: LocalPath, e: IOException): FileVisitResult = remove(dir)

    private def remove(path: LocalPath): FileVisitResult = {
      Files.deleteIfExists(path)
      FileVisitResult.CONTINUE
    }
  }
}
