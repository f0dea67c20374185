package hudilite.view

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.SeekableInputStream

import hudilite.error.HudiliteException
import hudilite.io.Storage

/** Bootstrap source file: a file outside the table with the data of a bootstrapped file group.
  * @param path     full path
  * @param length   size in bytes at the bootstrap
  * @param modified last modification, milliseconds since 1970
  * @param footer   hash of its footer at the bootstrap, see [[SourceFile.footerHash]]; stock Hudi
  *                 records none
  * @param sequence prefix of the skeleton's sequence numbers, if the number of the row follows it,
  *                 from 0 on; stock Hudi records none */
final case class SourceFile(
    path: Path,
    length: Long,
    modified: Long,
    footer: Option[String] = None,
    sequence: Option[String] = None
) extends StoredFile

object SourceFile {

  /** Fails if a source file has changed since the bootstrap. Compares its length, and its footer if
    * the hash is recorded.
    * Errors: HUDILITE_SOURCE_CHANGED, HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE. */
  def check(slice: FileSlice, conf: Configuration): Unit = slice.source.foreach { source =>
    Storage.of(source.path, conf).status(source.path).map(_.length) match {
      case Some(source.length) =>
        if (source.footer.exists(_ != footerHash(source.path, source.length, conf)))
          throw changed(slice, "its footer has changed")
      case Some(found) => throw changed(slice, s"it has $found bytes instead of ${source.length}")
      case None =>
        throw HudiliteException(
          "HUDILITE_MISSING_DATA_FILE",
          "path" -> source.path.toString,
          "instant" -> slice.instant
        )
    }
  }

  /** Returns a hash that distinguishes a source file from a replacement: the footer has the
    * position, size and statistics of every column chunk.
    * @param length length of the file in bytes
    * @return first 32 hex digits of SHA-256 over the footer's bytes on disk, with the footer length
    *         and the magic bytes after it
    * Errors: HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE if it is not a Parquet file. */
  def footerHash(path: Path, length: Long, conf: Configuration): String =
    OpenedFile.named(path, BootstrapIndex.instant, conf) {
      val file = HadoopInputFile.fromPathUnchecked(path, conf)
      Using.resource(file.newStream())(footerHash(_, length))
    }

  /** Returns the same hash for an open file, and moves its position.
    * @throws RuntimeException    if the file does not end like a Parquet file
    * @throws java.io.IOException if it cannot be read */
  def footerHash(stream: SeekableInputStream, length: Long): String = FooterHash.of(stream, length)

  /** Returns the error for a source file that has changed.
    * @param reason difference to the recorded file */
  def changed(slice: FileSlice, reason: String): HudiliteException = HudiliteException(
    "HUDILITE_SOURCE_CHANGED",
    "path" -> slice.onlyBase.data.path.toString,
    "instant" -> slice.instant,
    "reason" -> reason
  )
}
