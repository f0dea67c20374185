package hudilite.spark.plan

import hudilite.service.Retention

/** Whether a table is cleaned behind its writes, as it says: off where it says nothing.
  * Source: Hudi's hoodie.clean.automatic, hoodie.clean.commits.retained, hoodie.clean.hours.retained. */
object AutomaticClean {
  private val switch = "hoodie.clean.automatic"
  private val commits = "hoodie.clean.commits.retained"
  private val hours = "hoodie.clean.hours.retained"

  private val defaults = Map(
    switch -> "false",
    commits -> Retention.commits.toString,
    hours -> Retention.leastHours.toString
  )

  val names: Seq[String] = Seq(switch, commits, hours)

  /** What to write instead of a value that makes no sense. */
  def whyNot(fact: String, value: String): Option[String] = {
    val least = if (fact == hours) Retention.leastHours else 1
    if (fact == switch)
      Option.when(!Set("true", "false").contains(value.trim.toLowerCase(java.util.Locale.ROOT)))(
        s"Write true or false instead of '$value'."
      )
    else
      Option.when(!value.trim.toIntOption.exists(_ >= least))(
        s"Write a number from $least on instead of '$value'."
      )
  }

  /** What a table says, or means where it says nothing. */
  def value(facts: Map[String, String], fact: String): String =
    facts.get(fact).fold(defaults(fact))(_.trim)

  /** How much stays of a table that cleans by itself. */
  def retention(facts: Map[String, String]): Option[Retention] =
    Option.when(value(facts, switch).equalsIgnoreCase("true")) {
      Retention(value(facts, commits).toInt, value(facts, hours).toInt)
    }
}
