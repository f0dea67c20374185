package hudilite.format

import hudilite.error.HudiliteException
import hudilite.format.TableConfig.Key

/** Facts of tables that hudilite reads and does not write.
  * Source: table-versions §0.3, §7.5. */
private[format] object WriteChecks {
  private val metadataKeys = Vector(Key.metadataPartitions, Key.metadataInflight)

  /** Returns the fact that forbids writes to a table, as its key, its value and what to do; None if
    * hudilite writes the table. */
  def obstacle(config: TableConfig): Option[(String, String, String)] = {
    val version = config.version
    if (!version.isWritten) Some((Key.version, version.code, TableChecks.downgrade))
    else
      metadataKeys
        .flatMap(key => config.text(key).map(key -> _))
        .headOption
        .map { case (key, value) => (key, value, TableChecks.removeMetadataTable) }
        .orElse(ReadOnlyFacts.of(config).headOption)
  }

  /** Fails if hudilite does not write the table.
    * Errors: HUDILITE_TABLE_READ_ONLY. */
  def check(config: TableConfig, basePath: String): Unit =
    obstacle(config).foreach { case (fact, value, fix) =>
      throw HudiliteException(
        "HUDILITE_TABLE_READ_ONLY",
        "path" -> basePath,
        "fact" -> fact,
        "value" -> value,
        "fix" -> fix
      )
    }
}
