package hudilite.spark.hive

import org.apache.spark.sql.classic.SparkSession

import hudilite.error.HudiliteException
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.AutomaticSync

/** The entry of the Hive metastore under which other engines find a table. It is not the table's own
  * entry: that one belongs to USING hudilite, and cannot have partitions of Hive's.
  * @param table    name of the table that is registered
  * @param database of the entry
  * @param name     of the entry */
final case class HiveTarget(table: String, database: String, name: String) {

  override def toString: String = s"$database.$name"

  /** HUDILITE_HIVE_SYNC_FAILED.
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

  /** What a name is followed by where nobody names the entry. */
  private val suffix = "_hive"

  /** What to write instead of what is no name. */
  val fix: String = "Write target => 'name' or 'database.name', of letters, digits and _."

  /** Whether it can name an entry, with its database or without. */
  def isName(text: String): Boolean = {
    val names = text.split("\\.", -1).toSeq
    names.size <= 2 && names.forall(AutomaticSync.isName)
  }

  /** The entry that is asked for, else the one that the table names, else `<table>_hive` beside it.
    * @param asked of which [[isName]] holds
    * Errors: HUDILITE_HIVE_SYNC_FAILED for a name that the metastore does not take. */
  def of(session: SparkSession, table: HudiliteTable, asked: Option[String]): HiveTarget = {
    val facts = table.config.properties
    val isPath = table.name.contains("/")
    val own = table.name.split('.').toSeq
    val beside = AutomaticSync.database(facts)
      .orElse(own.dropRight(1).lastOption.filterNot(_ => isPath))
      .getOrElse(session.sessionState.catalog.getCurrentDatabase)
    val names = asked.fold(Seq.empty[String])(_.split("\\.", -1).toSeq)
    val name = names.lastOption
      .orElse(AutomaticSync.table(facts))
      .getOrElse((if (isPath) table.config.name else own.last) + suffix)
    val target = HiveTarget(table.name, names.dropRight(1).headOption.getOrElse(beside), name)
    if (!isName(target.toString))
      throw target.failed("the metastore does not take such a name", fix)
    target
  }
}
