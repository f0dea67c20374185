package hudilite.view

import java.io.{EOFException, FileNotFoundException, IOException}

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{ChecksumException, Path}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.filter2.compat.FilterCompat
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.SeekableInputStream

import hudilite.error.HudiliteException
import hudilite.io.Closing

/** Open base file, which the caller must close.
  * @param file   Parquet's handle of the file
  * @param reader reader that has read the footer
  * @param stream input of the reader; its position may be moved between two reads */
final class OpenedFile private (
    val file: HadoopInputFile,
    val reader: ParquetFileReader,
    val stream: SeekableInputStream
) extends AutoCloseable {
  override def close(): Unit = reader.close()
}

/** Opening of base files. Errors name the file. */
object OpenedFile {

  /** Opens a base file and reads its footer; throws as [[apply]]. */
  def open(slice: FileSlice, conf: Configuration): OpenedFile =
    named(slice, conf)(opened(slice, conf, FilterCompat.NOOP))

  /** Opens a base file for the duration of `read`.
    * @param wanted filter by which the reader skips pages
    * @throws HudiliteException HUDILITE_MISSING_DATA_FILE or HUDILITE_SNAPSHOT_EXPIRED if the file
    *                           is gone, HUDILITE_PATH_INVALID if this process may not open it,
    *                           HUDILITE_CORRUPT_DATA_FILE if it is no readable Parquet file */
  def apply[T](
      slice: FileSlice,
      conf: Configuration,
      wanted: FilterCompat.Filter = FilterCompat.NOOP
  )(read: ParquetFileReader => T): T = withStream(slice, conf, wanted)((reader, _) => read(reader))

  /** Opens a base file for the duration of `read`, which also receives the input of the reader. The
    * position of the input may be moved between two reads. Throws as [[apply]]. */
  def withStream[T](
      slice: FileSlice,
      conf: Configuration,
      wanted: FilterCompat.Filter = FilterCompat.NOOP
  )(read: (ParquetFileReader, SeekableInputStream) => T): T = named(slice, conf) {
    Using.resource(opened(slice, conf, wanted))(file => read(file.reader, file.stream))
  }

  private def opened(slice: FileSlice, conf: Configuration, wanted: FilterCompat.Filter) = {
    val options = HadoopReadOptions.builder(conf, slice.path).withRecordFilter(wanted).build()
    val file = HadoopInputFile.fromPath(slice.path, conf)
    val stream = file.newStream()
    Closing.onFailure(stream) {
      new OpenedFile(file, ParquetFileReader.open(file, options, stream), stream)
    }
  }

  /** Runs `read` and turns its errors into those that name the file; throws as [[apply]]. */
  def named[T](slice: FileSlice, conf: Configuration)(read: => T): T =
    named(slice.path, slice.instant, conf)(read)

  /** Runs `read` and turns its errors into those that name the file; throws as [[apply]].
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
