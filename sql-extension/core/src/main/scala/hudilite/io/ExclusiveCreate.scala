package hudilite.io

import java.io.{FileNotFoundException, IOException}
import java.nio.charset.StandardCharsets.UTF_8

import scala.annotation.tailrec

import org.apache.hadoop.fs.{FSDataOutputStream, FileSystem, Path}

/** Way in which an object store creates an object only if its name is free. The object becomes
  * visible whole. The classes of the stores' connectors are known by their names alone. */
private[io] sealed trait ExclusiveCreate {

  /** Creates an object, or throws. An exception says nothing about the object: its answer may be
    * lost, or the connector may have met the object that an earlier try of its own created.
    * @param token identifies the caller among all that create this object */
  def put(path: Path, bytes: Array[Byte], token: String): Unit

  /** Returns whose object is at a path: that of the caller of [[put]] with these arguments, or
    * another's. */
  def owner(path: Path, bytes: Array[Byte], token: String): ExclusiveCreate.Owner

  /** Replaces an object, or creates it. Others may replace it at the same time. */
  def replace(path: Path, bytes: Array[Byte]): Unit

  /** Creates an empty object, or makes one as new. Others may do so at the same time. */
  def touch(path: Path): Unit

  /** Whether a folder is nothing but a part of the names of objects. */
  def isFlat: Boolean

  /** Whether it is a conditional request. */
  def isConditional: Boolean = false

  /** What it is, in words for users of a scheme. */
  def guarantee(scheme: String): CreateGuarantee
}

private[io] object ExclusiveCreate {

  /** Owner of a name. */
  sealed trait Owner
  case object Mine extends Owner
  case object Another extends Owner
  case object Nobody extends Owner

  /** Capability and option of a file system that creates a file by a conditional request. */
  val conditional = "fs.option.create.conditional.overwrite"

  private val gcs =
    Set("com.google.cloud.hadoop.fs.gcs.GoogleHadoopFileSystem",
      "org.apache.hadoop.fs.gs.GoogleHadoopFileSystem")
  private val abfs = Set("org.apache.hadoop.fs.azurebfs.AzureBlobFileSystem")

  /** Returns how a file system creates an object only if its name is free, or why hudilite does
    * not write there.
    * @param root path of a table there */
  def of(files: FileSystem, root: Path): Either[UnsafeStore, ExclusiveCreate] =
    if (isConditional(files, root)) Right(new ConditionalPut(files))
    else if (gcs.exists(isA(files, _))) Right(new CreateOnce(files))
    else if (abfs.exists(isA(files, _))) Right(new RenameOnce(files))
    else Left(UnsafeStore.of(files, root.toUri.getScheme))

  /** Whether an object's class or a class above it has a name. */
  def isA(files: FileSystem, name: String): Boolean = {
    @tailrec def isNamed(above: Option[Class[_]]): Boolean = above match {
      case Some(of) => of.getName == name || isNamed(Option(of.getSuperclass))
      case None => false
    }
    isNamed(Some(files.getClass))
  }

  private def isConditional(files: FileSystem, root: Path): Boolean =
    try files.hasPathCapability(root, conditional)
    catch { case _: IOException | _: UnsupportedOperationException => false }

  /** Most attempts to write an object that other clients write at the same time. */
  private[io] val attempts = 20

  /** Parts of the errors of the connectors of GCS and ABFS if another client wrote the object at the same
    * time: they look it up first, and write it on the condition that it is still what they found. */
  private val overtaken = Seq("412 Precondition Failed", "precondition failure")

  /** Writes an object again if another client has overtaken the write. */
  @tailrec private[io] def repeated(write: () => Unit, left: Int = attempts): Unit = {
    val isWritten =
      try {
        write()
        true
      } catch {
        case e: IOException if left > 1 && overtaken.exists(e.toString.contains) => false
      }
    if (!isWritten) repeated(write, left - 1)
  }

  private[io] def ifFound(owner: => Owner): Owner =
    try owner
    catch { case _: FileNotFoundException => Nobody }
}

/** Creation by one conditional PUT (s3a). The token is in the object's metadata. */
private[io] final class ConditionalPut(files: FileSystem) extends ExclusiveCreate {
  import ExclusiveCreate._

  def put(path: Path, bytes: Array[Byte], token: String): Unit =
    WholeFile.write(opened(path, token), bytes)

  def owner(path: Path, bytes: Array[Byte], token: String): Owner = ifFound {
    val found = Option(files.getXAttr(path, ConditionalPut.attribute)).map(new String(_, UTF_8))
    if (found.contains(token)) Mine else Another
  }

  def replace(path: Path, bytes: Array[Byte]): Unit =
    WholeFile.put(files, path, bytes)

  def touch(path: Path): Unit = replace(path, Array.emptyByteArray)

  def isFlat: Boolean = true

  override def isConditional: Boolean = true

  def guarantee(scheme: String): CreateGuarantee = CreateGuarantee(
    s"a conditional PUT (the file system has the capability $conditional)",
    "Use a store that supports conditional writes. If only one writer at a time writes to each " +
      s"table, start Spark with spark.hadoop.${UnsafeStore.conditional} = false and SET " +
      s"${SingleWriterStorage.setting} = $scheme."
  )

  /** Opens the stream. A file system that merely stands before another one may pass on what that
    * one can do, and not the option. */
  private def opened(path: Path, token: String): FSDataOutputStream =
    try
      WholeFile.built(
        files.createFile(path),
        Map(conditional -> "true"),
        Map(ConditionalPut.option -> token)
      )
    catch {
      case _: IllegalArgumentException =>
        throw UnsafeStore.of(files, path.toUri.getScheme).error
    }
}

private object ConditionalPut {
  private val option = "fs.s3a.create.header.hudilite-token"
  private val attribute = "header.hudilite-token"
}

/** Creation by a create without overwrite, which the connectors of GCS make one upload with the
  * condition that the object is absent. The content tells whose it is: an empty object counts as
  * another's. */
private[io] final class CreateOnce(files: FileSystem) extends ExclusiveCreate {
  def put(path: Path, bytes: Array[Byte], token: String): Unit =
    WholeFile.write(files.create(path, false), bytes)

  def owner(path: Path, bytes: Array[Byte], token: String): ExclusiveCreate.Owner =
    WholeFile.owner(files, path, bytes)

  def replace(path: Path, bytes: Array[Byte]): Unit =
    ExclusiveCreate.repeated(() => WholeFile.put(files, path, bytes))

  def touch(path: Path): Unit = replace(path, Array.emptyByteArray)

  def isFlat: Boolean = false

  def guarantee(scheme: String): CreateGuarantee = CreateGuarantee(
    s"a create without overwrite (the file system is a ${files.getClass.getName})",
    "Use Google Cloud Storage itself, or a server that supports the condition ifGenerationMatch."
  )
}

/** Creation by the rename of a temporary file, which ABFS refuses if the name is taken: its create
  * shows an empty file first. The content tells whose it is, as in [[CreateOnce]]. */
private[io] final class RenameOnce(files: FileSystem) extends ExclusiveCreate {
  def put(path: Path, bytes: Array[Byte], token: String): Unit =
    renamed(path, bytes)(files.rename(_, path))

  def owner(path: Path, bytes: Array[Byte], token: String): ExclusiveCreate.Owner =
    WholeFile.owner(files, path, bytes)

  /** A reader may find no file for a moment. */
  def replace(path: Path, bytes: Array[Byte]): Unit =
    renamed(path, bytes) { temporary =>
      Iterator.fill(ExclusiveCreate.attempts) {
        files.delete(path, false): Unit
        files.rename(temporary, path)
      }.contains(true)
    }

  def touch(path: Path): Unit =
    ExclusiveCreate.repeated(() => WholeFile.put(files, path, Array.emptyByteArray))

  def isFlat: Boolean = false

  def guarantee(scheme: String): CreateGuarantee = CreateGuarantee(
    "a rename of a temporary file, which does not overwrite (the file system is a " +
      s"${files.getClass.getName})",
    "Use Azure Data Lake Storage itself, or a server that refuses to rename to a name that is taken."
  )

  private def renamed(path: Path, bytes: Array[Byte])(rename: Path => Boolean): Unit = {
    val temporary = Storage.temporary(path)
    Closing.onFailure(() => files.delete(temporary, false): Unit) {
      WholeFile.write(files.create(temporary, true), bytes)
      if (!rename(temporary)) throw new IOException(s"$path is taken")
    }
  }
}
