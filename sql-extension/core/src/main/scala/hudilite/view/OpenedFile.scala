package hudilite.view

import java.io.{EOFException, FileNotFoundException, IOException}

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{ChecksumException, FileStatus, Path}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.filter2.compat.FilterCompat
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.SeekableInputStream

import hudilite.error.HudiliteException
import hudilite.io.{Closing, FewReads}

/** Open Parquet file, which the caller must close.
  * @param file   Parquet's handle of the file
  * @param reader reader that has read the footer
  * @param stream input of the reader; its position may be moved between two reads */
final class OpenedFile private (
    val file: HadoopInputFile,
    val reader: ParquetFileReader,
    val stream: SeekableInputStream
) extends AutoCloseable {
  override def close(): Unit = reader.close()

  /** Closes everything but the input, and returns it. The footer can still be read. */
  def released(): SeekableInputStream = {
    reader.detachFileInputStream()
    reader.close()
    stream
  }
}

/** Opening of the Parquet files of file slices. Errors name the file. */
object OpenedFile {

  /** Opens the base file of a slice, all of which is going to be read, and reads its footer. The
    * slice has no log files, see [[FileSlice.onlyBase]].
    * @throws HudiliteException HUDILITE_MISSING_DATA_FILE or HUDILITE_SNAPSHOT_EXPIRED if the file
    *                           is gone, HUDILITE_PATH_INVALID if this process may not open it,
    *                           HUDILITE_CORRUPT_DATA_FILE if it is no readable Parquet file */
  def open(slice: FileSlice, conf: Configuration): OpenedFile =
    named(slice, conf) {
      val file = slice.onlyBase
      ofRange(file, 0L, file.length, conf, FewReads.carriedBytes)
    }

  /** Opens the base file of a slice for the duration of `read`; throws as [[open]]. */
  def apply[T](slice: FileSlice, conf: Configuration)(read: OpenedFile => T): T =
    apply(slice.onlyBase, slice.instant, conf)(read)

  /** Opens a file for the duration of `read`; throws as [[open]].
    * @param instant commit that the file belongs to */
  def apply[T](file: StoredFile, instant: String, conf: Configuration)(read: OpenedFile => T): T =
    named(file.path, instant, conf)(Using.resource(unnamed(file, conf))(read))

  /** Opens a file as [[open]] does, with the errors of Parquet's own reader. */
  def unnamed(file: StoredFile, conf: Configuration): OpenedFile =
    ofRange(file, 0L, file.length, conf)

  /** Opens a file as [[unnamed]] does. Its footer has the row groups whose middle is in a range of
    * bytes.
    * @param start first byte
    * @param end   byte after the last one
    * @param atOnce as [[FewReads.of]] has it */
  def ofRange(
      file: StoredFile,
      start: Long,
      end: Long,
      conf: Configuration,
      atOnce: Int = FewReads.smallBytes
  ): OpenedFile = {
    val isWhole = start == 0 && end == file.length
    val all =
      HadoopReadOptions.builder(conf, file.path).withRecordFilter(FilterCompat.NOOP)
    val options = (if (isWhole) all else all.withRange(start, end)).build()
    val input = file match {
      case _: SliceBase.Stored => listed(file, conf)
      case _ => HadoopInputFile.fromPath(file.path, conf) // others may have replaced it
    }
    val stream = FewReads.of(file.path, input.getLength, input.newStream(), atOnce)
    Closing.onFailure(stream) {
      new OpenedFile(input, ParquetFileReader.open(input, options, stream), stream)
    }
  }

  /** Returns Parquet's handle of a file of a table, which never changes: it is not looked up again. */
  def listed(file: StoredFile, conf: Configuration): HadoopInputFile =
    HadoopInputFile.fromStatus(new FileStatus(file.length, false, 1, 0, 0, file.path), conf)

  /** Runs `read` and turns its errors into those that name the base file; throws as [[open]]. */
  def named[T](slice: FileSlice, conf: Configuration)(read: => T): T =
    named(slice.onlyBase.path, slice.instant, conf)(read)

  /** Runs `read` and turns its errors into those that name the file; throws as [[open]].
    * @param instant commit that the file belongs to */
  def named[T](path: Path, instant: String, conf: Configuration)(read: => T): T =
    try read
    catch {
      case e: FileNotFoundException => throw LostFile.unopened(path, instant, conf, e)
      case e @ (_: RuntimeException | _: IOException)
          if !e.isInstanceOf[HudiliteException] && tellsOfTheBytes(e) =>
        throw new HudiliteException(
          "HUDILITE_CORRUPT_DATA_FILE",
          Map("path" -> path.toString, "reason" -> String.valueOf(e.getMessage)),
          e
        )
    }

  /** Whether an error means malformed bytes, rather than bytes that could not be read. */
  private def tellsOfTheBytes(e: Throwable): Boolean = e match {
    case _: RuntimeException | _: ChecksumException | _: EOFException => true
    case _ => Option(e.getCause).exists(_.getClass.getName.contains(".thrift."))
  }
}
