package hudilite.spark.plan

import java.util.Locale

import hudilite.format.TableConfig.Key
import hudilite.format.{TableConfig, TableVersion}

/** Table property that says what a write does to Hudi's metadata table: removes it (default), or keeps
  * its list of files up to date. */
object MetadataUpkeep {
  val name: String = Key.metadata

  val default: String = Key.detachMetadata

  /** Returns the text of the fix for an invalid value; None for a valid one. */
  def whyNot(value: String): Option[String] =
    Option.when(!Set(Key.detachMetadata, Key.keepFiles)(lower(value)))(
      s"Write ${Key.keepFiles} (a write keeps the list of files up to date) or " +
        s"${Key.detachMetadata} (it removes the metadata table) instead of '$value'."
    )

  /** Returns the text of the fix for a valid value that a table cannot have; None if it can. */
  def mismatch(value: String, config: TableConfig): Option[String] =
    Option.when(lower(value) == Key.keepFiles && config.version == TableVersion.Six)(
      "Only tables of versions 8 and 9 keep the list of files. Run CALL upgrade_table(table => " +
        "'...', version => 9) first; for a new table, add 'hoodie.write.table.version' = '9'."
    )

  private def lower(value: String) = value.trim.toLowerCase(Locale.ROOT)
}
