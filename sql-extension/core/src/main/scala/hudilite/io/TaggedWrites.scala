package hudilite.io

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import scala.annotation.tailrec
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.fs.{FileSystem, Path}

import hudilite.error.HudiliteException

/** Writes of small objects that a store makes only if nobody has changed the object since it was read.
  * The tag of an object changes with its content. */
private[hudilite] trait TaggedWrites {

  /** Writes an object, or throws. An exception says nothing about the object: the answer of a request
    * that took effect may be lost. Look at the object then.
    * @param tag tag of the content that is replaced; None if there must be no object
    * Errors: HUDILITE_UNSAFE_STORAGE if the store ignores the condition. */
  def put(path: Path, bytes: Array[Byte], tag: Option[String]): Unit

  /** Reads an object with its tag; None if it is absent. The content and the tag belong together. */
  def find(path: Path): Option[(Array[Byte], String)]
}

/** These writes by conditional requests. Before the first one of this process in a bucket, it checks
  * that the store refuses a tag that is out of date.
  * @param files Hadoop's access to the store
  * @param root  path of a table in the store */
private[io] final class ConditionalReplace(storage: ObjectStorage, files: FileSystem, root: Path)
    extends TaggedWrites {

  def put(path: Path, bytes: Array[Byte], tag: Option[String]): Unit = {
    passOnce()
    unchecked(path, bytes, tag)
  }

  def find(path: Path): Option[(Array[Byte], String)] = find(path, ConditionalReplace.reads)

  /** A store may answer the look-up of the length and the read with different contents: then it is read
    * again. */
  @tailrec private def find(path: Path, left: Int): Option[(Array[Byte], String)] = {
    val found = Try(read(path))
    val tag = storage.status(path).flatMap(_.etag)
    if (left <= 1 || found.toOption.exists(_.map(_._2) == tag)) found.get else find(path, left - 1)
  }

  private def read(path: Path): Option[(Array[Byte], String)] =
    try {
      val (bytes, tag) = storage.readTagged(path)
      Some(bytes -> tag.getOrElse(throw new IOException(s"$path has no tag")))
    } catch { case e: HudiliteException if e.condition == "HUDILITE_MISSING_FILE" => None }

  private def unchecked(path: Path, bytes: Array[Byte], tag: Option[String]): Unit =
    storage.patiently {
      val condition = tag.fold(ExclusiveCreate.conditional -> "true")(ConditionalReplace.byTag -> _)
      WholeFile.write(WholeFile.built(files.createFile(path), Map(condition), Map.empty), bytes)
    }

  private def passOnce(): Unit = ConditionalReplace.passed.pass(root) {
    val folder = Storage.temporary(Storage.resolve(root, "probe"))
    val file = Storage.resolve(folder, "tagged")
    def write(text: String, tag: Option[String]): Option[(Array[Byte], String)] = {
      try unchecked(file, text.getBytes(UTF_8), tag)
      catch { case NonFatal(_) => () } // the content tells
      find(file)
    }
    def holds(found: Option[(Array[Byte], String)], text: String) =
      found.exists(f => Arrays.equals(f._1, text.getBytes(UTF_8)))
    try {
      val first = write("first", None)
      val second = write("second", first.map(_._2))
      if (!holds(second, "second") || !holds(write("third", first.map(_._2)), "second"))
        throw UnsafeStore.untagged(root.toUri.getScheme).error
    } finally Try(storage.deleteFilesBelow(folder)): Unit
  }
}

private[io] object ConditionalReplace {

  /** Capability and option of a file system that replaces a file only if it has a tag. */
  val byTag = "fs.option.create.conditional.overwrite.etag"

  /** Most reads of a content that changes meanwhile. */
  private val reads = 5

  private val passed = new OncePerBucket
}
