package hudilite.format

import hudilite.error.HudiliteException

/** Location of a table's properties, for messages.
  * @param basePath location of the table
  * @param path     path of the file */
final case class PropertiesFile(basePath: String, path: String) {

  /** Returns the error for a file that cannot be trusted. */
  private[format] def corrupt(reason: String): HudiliteException = HudiliteException(
    "HUDILITE_CORRUPT_TIMELINE",
    "path" -> path,
    "reason" -> reason,
    "fix" -> s"Restore the file, or replace it with $name.backup if that file exists."
  )

  private def name: String = path.substring(path.lastIndexOf('/') + 1)
}
