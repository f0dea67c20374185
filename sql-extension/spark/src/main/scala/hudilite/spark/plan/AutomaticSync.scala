package hudilite.spark.plan

import java.util.Locale

/** Whether a table is registered in the Hive metastore behind its commits, and how, as it says: off
  * where it says nothing.
  * Source: Hudi's hoodie.datasource.hive_sync.enable, .database, .table, .sync_as_datasource. */
object AutomaticSync {
  private val prefix = "hoodie.datasource.hive_sync"
  private val switch = s"$prefix.enable"
  private val inDatabase = s"$prefix.database"
  private val asTable = s"$prefix.table"
  private val forSpark = s"$prefix.sync_as_datasource"

  private val defaults = Map(switch -> "false", forSpark -> "true")

  val names: Seq[String] = Seq(switch, inDatabase, asTable, forSpark)

  /** What to write instead of a value that makes no sense. */
  def whyNot(fact: String, value: String): Option[String] =
    if (defaults.contains(fact))
      Option.when(!Set("true", "false").contains(value.trim.toLowerCase(Locale.ROOT)))(
        s"Write true or false instead of '$value'."
      )
    else
      Option.when(!isName(value.trim))(
        s"Write one name of letters, digits and _ instead of '$value'."
      )

  /** Whether the metastore takes it as the name of a table or database. */
  def isName(text: String): Boolean = text.matches("[A-Za-z0-9_]+")

  /** What a table says, or means where it says nothing. */
  def value(facts: Map[String, String], fact: String): String =
    facts.get(fact).fold(defaults.getOrElse(fact, ""))(_.trim)

  def isOn(facts: Map[String, String]): Boolean = value(facts, switch).equalsIgnoreCase("true")

  /** The database of the entry, where the table names one. */
  def database(facts: Map[String, String]): Option[String] =
    Some(value(facts, inDatabase)).filter(_.nonEmpty)

  /** The name of the entry, where the table gives one. */
  def table(facts: Map[String, String]): Option[String] =
    Some(value(facts, asTable)).filter(_.nonEmpty)

  /** Whether Spark takes the entry for a table of Hudi's own data source. */
  def isDataSource(facts: Map[String, String]): Boolean =
    value(facts, forSpark).equalsIgnoreCase("true")
}
