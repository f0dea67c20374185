package hudilite.spark.hive

import org.apache.spark.sql.classic.SparkSession

import hudilite.error.HudiliteException
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.AutomaticSync

/** Name of the Hive metastore entry under which other engines find a table. It is not the table's
  * own entry: that one has USING hudilite, and cannot have Hive partitions.
  * @param table    name of the table that is registered
  * @param database database of the entry
  * @param name     name of the entry in that database */
final case class HiveTarget(table: String, database: String, name: String) {

  override def toString: String = s"$database.$name"

  /** Builds the error HUDILITE_HIVE_SYNC_FAILED.
    * @param reason without a full stop
    * @param fix    a sentence */
  def failed(
      reason: String,
      fix: String,
      cause: Throwable = HudiliteException.noCause
  ): HudiliteException = new HudiliteException(
    "HUDILITE_HIVE_SYNC_FAILED",
    Map("table" -> table, "target" -> toString, "reason" -> reason, "fix" -> fix),
    cause
  )
}

object HiveTarget {

  /** Suffix of the table's name in the default name of the entry. */
  private val suffix = "_hive"

  /** Fix to show for an invalid name. */
  val fix: String = "Write target => 'name' or 'database.name', with only letters, digits and _."

  /** Whether a text is a valid name of an entry, with or without its database. */
  def isName(text: String): Boolean = {
    val names = text.split("\\.", -1).toSeq
    names.size <= 2 && names.forall(AutomaticSync.isName)
  }

  /** Returns the requested entry, else the one that the table's properties name, else
    * `<table>_hive` in the table's database. The entries of a merge-on-read table have the suffixes
    * of their views instead, after any of these names.
    * @param asked name for which [[isName]] is true
    * Errors: HUDILITE_HIVE_SYNC_FAILED for a name that the metastore does not accept. */
  def of(
      session: SparkSession,
      table: HudiliteTable,
      asked: Option[String],
      view: HiveView
  ): HiveTarget = {
    val facts = table.config.properties
    val isPath = table.name.contains("/")
    val own = table.name.split('.').toSeq
    val beside = AutomaticSync.database(facts)
      .orElse(own.dropRight(1).lastOption.filterNot(_ => isPath))
      .getOrElse(session.sessionState.catalog.getCurrentDatabase)
    val names = asked.fold(Seq.empty[String])(_.split("\\.", -1).toSeq)
    val name = names.lastOption
      .orElse(AutomaticSync.table(facts))
      .getOrElse(
        (if (isPath) table.config.name else own.last) + (if (view.suffix.isEmpty) suffix else "")
      )
    val database = names.dropRight(1).headOption.getOrElse(beside)
    val target = HiveTarget(table.name, database, name + view.suffix)
    if (!isName(target.toString))
      throw target.failed("the metastore does not accept this name", fix)
    target
  }
}
