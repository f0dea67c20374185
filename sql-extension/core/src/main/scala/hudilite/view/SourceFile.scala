package hudilite.view

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.SeekableInputStream

import hudilite.error.HudiliteException
import hudilite.io.Storage

/** A file outside of the table that holds the data of an adopted file group.
  * @param path     full path
  * @param length   size in bytes at the bootstrap
  * @param modified when it was changed last, milliseconds since 1970
  * @param footer   hash of its footer at the bootstrap, as [[SourceFile.footerHash]] gives it; stock Hudi
  *                 records none
  * @param sequence what the sequence numbers of its skeleton begin with, where they go on with the number
  *                 of the row, from 0 on; stock Hudi records none */
final case class SourceFile(
    path: Path,
    length: Long,
    modified: Long,
    footer: Option[String] = None,
    sequence: Option[String] = None
)

object SourceFile {

  /** The source of a skeleton as a slice of its own, for what opens files; of another slice itself.
    */
  def of(slice: FileSlice): FileSlice =
    slice.source.fold(slice)(source => slice.copy(path = source.path, length = source.length))

  /** Refuses a source that is not the one that was adopted, as far as its length tells, and its
    * footer where the hash of that is recorded.
    * Errors: HUDILITE_SOURCE_CHANGED, HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE. */
  def check(slice: FileSlice, conf: Configuration): Unit = slice.source.foreach { source =>
    Storage.of(source.path, conf).status(source.path).map(_.length) match {
      case Some(source.length) =>
        if (source.footer.exists(_ != footerHash(source.path, source.length, conf)))
          throw changed(slice, "its footer is another than it was")
      case Some(found) => throw changed(slice, s"it has $found bytes and had ${source.length}")
      case None =>
        throw HudiliteException(
          "HUDILITE_MISSING_DATA_FILE",
          "path" -> source.path.toString,
          "instant" -> slice.instant
        )
    }
  }

  /** What tells a source from one that takes its place: its footer has the place, size and
    * statistics of every column chunk.
    * @param length of the file in bytes
    * @return first 32 hex digits of SHA-256 over the footer as it lies on disk, with its length and
    *         the magic bytes behind it
    * Errors: HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE for what is no Parquet file. */
  def footerHash(path: Path, length: Long, conf: Configuration): String =
    OpenedFile.named(path, BootstrapIndex.instant, conf) {
      val file = HadoopInputFile.fromPathUnchecked(path, conf)
      Using.resource(file.newStream())(footerHash(_, length))
    }

  /** The same of an open file, whose position moves.
    * @throws RuntimeException    if the file does not end as Parquet's do
    * @throws java.io.IOException if it cannot be read */
  def footerHash(stream: SeekableInputStream, length: Long): String = FooterHash.of(stream, length)

  /** @param reason what is other than it was */
  def changed(slice: FileSlice, reason: String): HudiliteException = HudiliteException(
    "HUDILITE_SOURCE_CHANGED",
    "path" -> of(slice).path.toString,
    "instant" -> slice.instant,
    "reason" -> reason
  )
}
