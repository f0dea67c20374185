package hudilite.view

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.io.Storage

/** A file outside of the table that holds the data of an adopted file group.
  * @param path     full path
  * @param length   size in bytes at the bootstrap
  * @param modified when it was changed last, milliseconds since 1970 */
final case class SourceFile(path: Path, length: Long, modified: Long)

object SourceFile {

  /** The source of a skeleton as a slice of its own, for what opens files; of another slice itself.
    */
  def of(slice: FileSlice): FileSlice =
    slice.source.fold(slice)(source => slice.copy(path = source.path, length = source.length))

  /** Refuses a source that is not the one that was adopted, as far as its length tells.
    * Errors: HUDILITE_SOURCE_CHANGED, HUDILITE_MISSING_DATA_FILE. */
  def check(slice: FileSlice, conf: Configuration): Unit = slice.source.foreach { source =>
    Storage.of(source.path, conf).status(source.path).map(_.length) match {
      case Some(source.length) => ()
      case Some(found) => throw changed(slice, s"it has $found bytes and had ${source.length}")
      case None =>
        throw HudiliteException(
          "HUDILITE_MISSING_DATA_FILE",
          "path" -> source.path.toString,
          "instant" -> slice.instant
        )
    }
  }

  /** @param reason what is other than it was */
  def changed(slice: FileSlice, reason: String): HudiliteException = HudiliteException(
    "HUDILITE_SOURCE_CHANGED",
    "path" -> of(slice).path.toString,
    "instant" -> slice.instant,
    "reason" -> reason
  )
}
