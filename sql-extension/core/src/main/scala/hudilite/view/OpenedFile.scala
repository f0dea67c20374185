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

/** A base file that whoever opened it closes.
  * @param file   as Parquet knows it
  * @param reader has read the footer
  * @param stream what the reader reads from; its position may be moved between two reads */
final class OpenedFile private (
    val file: HadoopInputFile,
    val reader: ParquetFileReader,
    val stream: SeekableInputStream
) extends AutoCloseable {
  override def close(): Unit = reader.close()
}

/** A base file that is open for as long as something is read from it. */
object OpenedFile {

  /** Reads the footer; throws as [[apply]]. */
  def open(slice: FileSlice, conf: Configuration): OpenedFile =
    named(slice, conf)(opened(slice, conf, FilterCompat.NOOP))

  /** @param wanted what pages are left out by
    * @throws HudiliteException HUDILITE_MISSING_DATA_FILE if the file is gone,
    *                           HUDILITE_PATH_INVALID if this process may not open it,
    *                           HUDILITE_CORRUPT_DATA_FILE if it is no readable Parquet file
    */
  def apply[T](
      slice: FileSlice,
      conf: Configuration,
      wanted: FilterCompat.Filter = FilterCompat.NOOP
  )(read: ParquetFileReader => T): T = withStream(slice, conf, wanted)((reader, _) => read(reader))

  /** The same with what the reader reads from, whose position may be moved between two reads; throws as
    * [[apply]]. */
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

  /** Names the file in what goes wrong while it is read; throws as [[apply]]. */
  def named[T](slice: FileSlice, conf: Configuration)(read: => T): T =
    named(slice.path, slice.instant, conf)(read)

  /** @param instant commit that the file belongs to */
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

  /** Whether bytes that were read make no sense, rather than that they could not be read. */
  private def tellsOfTheBytes(e: Throwable): Boolean = e match {
    case _: RuntimeException | _: ChecksumException | _: EOFException => true
    case _ => Option(e.getCause).exists(_.getClass.getName.contains(".thrift."))
  }
}
