package hudilite.spark.plan

/** Table properties for the registration of a table in the Hive metastore after each commit; off by
  * default.
  * Source: Hudi's hoodie.datasource.hive_sync.enable, .database, .table, .sync_as_datasource. */
object AutomaticSync {
  private val prefix = "hoodie.datasource.hive_sync"
  private val switch = s"$prefix.enable"
  private val inDatabase = s"$prefix.database"
  private val asTable = s"$prefix.table"
  private val forSpark = s"$prefix.sync_as_datasource"

  private val defaults = Map(switch -> "false", forSpark -> "true")

  val names: Seq[String] = Seq(switch, inDatabase, asTable, forSpark)

  /** Returns the text of the fix for an invalid value; None for a valid one. */
  def whyNot(fact: String, value: String): Option[String] =
    if (defaults.contains(fact)) ServiceValue.whyNoFlag(value)
    else
      Option.when(!isName(value.trim))(
        s"Write a name with only letters, digits and _ instead of '$value'."
      )

  /** Whether the metastore accepts a text as the name of a table or database. */
  def isName(text: String): Boolean = text.matches("[A-Za-z0-9_]+")

  /** Returns the value of a table property, or its default; "" if it has none. */
  def value(facts: Map[String, String], fact: String): String =
    facts.get(fact).fold(defaults.getOrElse(fact, ""))(_.trim)

  def isOn(facts: Map[String, String]): Boolean = value(facts, switch).equalsIgnoreCase("true")

  /** Database of the metastore entry, if the table sets one. */
  def database(facts: Map[String, String]): Option[String] =
    Some(value(facts, inDatabase)).filter(_.nonEmpty)

  /** Name of the metastore entry, if the table sets one. */
  def table(facts: Map[String, String]): Option[String] =
    Some(value(facts, asTable)).filter(_.nonEmpty)

  /** Whether Spark reads the entry as a table of Hudi's own data source. */
  def isDataSource(facts: Map[String, String]): Boolean =
    value(facts, forSpark).equalsIgnoreCase("true")
}
