package hudilite.spark.catalog

import org.apache.spark.sql.internal.SQLConf

import hudilite.error.Settings
import hudilite.format.TableVersion
import hudilite.spark.plan.Setting

/** Version of Hudi's table format that CREATE TABLE gives a new table: that of its property, or of
  * the session setting of the same name. */
private[catalog] object VersionOfNewTables {

  /** Name of the property and of the setting, as in Hudi. */
  val name = "hoodie.write.table.version"

  /** Returns the version that a session asks for.
    * Errors: HUDILITE_SETTING_INVALID. */
  def of(conf: SQLConf): TableVersion =
    TableVersion.of(Setting.word(conf, name)).getOrElse(TableVersion.ofNewTables)

  /** Returns what to write instead of a version that new tables cannot have; None for others. */
  def whyNot(value: String): Option[String] =
    Option.when(!Settings.values(name).split(", ").contains(value.trim))(
      s"New tables have version 6, which all engines read, or 9, which Hudi 1.1 and later read. Write " +
        s"9 or 6 instead of '$value'."
    )
}
