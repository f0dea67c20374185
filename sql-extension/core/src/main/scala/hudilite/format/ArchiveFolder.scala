package hudilite.format

import hudilite.error.HudiliteException
import hudilite.format.TableConfig.Key

/** Name of the folder of archived instants, which the properties of a table give. */
object ArchiveFolder {

  /** Name of the folder in table version 6. */
  val archived = "archived"

  /** Name of the folder in table versions 8 and 9. */
  val history = "history"

  /** Returns the folder of table version 6, relative to the metadata folder: "" for that folder
    * itself, as in tables of early versions.
    * Errors: HUDILITE_UNSUPPORTED_TABLE for a path that leaves the metadata folder. */
  def ofLog(config: TableConfig, basePath: String): String =
    of(config, basePath, Key.archiveFolder, archived)

  /** Returns the folder of table versions 8 and 9, relative to the folder of the timeline.
    * Errors: HUDILITE_UNSUPPORTED_TABLE for a path that leaves that folder. */
  def ofHistory(config: TableConfig, basePath: String): String =
    of(config, basePath, Key.historyPath, history)

  private def of(config: TableConfig, basePath: String, key: String, default: String): String = {
    val folder = config.properties.getOrElse(key, default).trim
    if (folder.startsWith("/") || folder.split('/').contains(".."))
      throw HudiliteException(
        "HUDILITE_UNSUPPORTED_TABLE",
        "path" -> basePath,
        "fact" -> key,
        "value" -> folder,
        "fix" -> s"Archived instants must be inside of the table. Set $key to $default."
      )
    folder
  }
}
