package hudilite.io

import java.io.FileNotFoundException
import java.util.Arrays

import scala.util.Using
import scala.util.control.NonFatal

import org.apache.hadoop.fs.{
  CommonPathCapabilities,
  FSDataInputStream,
  FSDataOutputStream,
  FSDataOutputStreamBuilder,
  FileStatus,
  FileSystem,
  Path
}
import org.apache.hadoop.util.functional.FutureIO

/** Small objects of a store, written and compared as a whole. */
private[io] object WholeFile {
  private val fast = "fs.s3a.create.performance"

  /** Writes and closes a stream; an object store shows the object when the stream is closed. */
  def write(out: FSDataOutputStream, bytes: Array[Byte]): Unit = {
    try out.write(bytes)
    catch {
      case NonFatal(e) =>
        abort(out)
        throw e
    }
    out.close()
  }

  /** Replaces or creates an object. */
  def put(files: FileSystem, path: Path, bytes: Array[Byte]): Unit =
    write(overwrite(files, path), bytes)

  /** Opens a stream that replaces what is at a path. On s3a, nothing is looked up before. */
  def overwrite(files: FileSystem, path: Path): FSDataOutputStream =
    built(files.createFile(path), Map.empty, Map(fast -> "true"))

  /** Opens a stream that replaces what is at a path unless an option forbids it. The folder need not
    * exist.
    * @param required options without which the file must not be created
    * @param wished   options that a file system may ignore
    * Errors: IllegalArgumentException if the file system does not know a required option. */
  def built[S <: FSDataOutputStream, B <: FSDataOutputStreamBuilder[S, B]](
      builder: FSDataOutputStreamBuilder[S, B],
      required: Map[String, String],
      wished: Map[String, String]
  ): FSDataOutputStream = {
    builder.overwrite(true).recursive()
    required.foreach { case (key, value) => builder.must(key, value) }
    wished.foreach { case (key, value) => builder.opt(key, value) }
    builder.build()
  }

  /** Opens a file without looking it up again.
    * @param found the file as it was looked up or listed */
  def open(files: FileSystem, found: FileStatus): FSDataInputStream =
    FutureIO.awaitFuture(files.openFile(found.getPath).withFileStatus(found).build())

  /** Whether an object exists, in one request on s3a: Hadoop's own look-up of an absent object asks
    * for a folder of that name, too. */
  def exists(files: FileSystem, path: Path): Boolean =
    try
      Using.resource(open(files, new FileStatus(1L, false, 1, 0L, 0L, path))) { in =>
        in.read(): Unit
        true
      }
    catch { case _: FileNotFoundException => false }

  /** Whether [[overwrite]] costs less there than Hadoop's usual create. */
  def isFast(files: FileSystem, path: Path): Boolean = files.hasPathCapability(path, fast)

  /** Discards what was written to a stream, where the file system can do so: then nothing becomes
    * visible when the stream is closed. */
  def abort(out: FSDataOutputStream): Unit =
    if (out.hasCapability(CommonPathCapabilities.ABORTABLE_STREAM)) out.abort(): Unit

  /** Returns whose object is at a path, by its content. */
  def owner(files: FileSystem, path: Path, bytes: Array[Byte]): ExclusiveCreate.Owner =
    ExclusiveCreate.ifFound {
      val found = Using.resource(files.open(path))(_.readNBytes(bytes.length + 1))
      if (bytes.nonEmpty && Arrays.equals(found, bytes)) ExclusiveCreate.Mine
      else ExclusiveCreate.Another
    }
}
