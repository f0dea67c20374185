package hudilite.spark.plan

import hudilite.service.Retention

/** Table properties for a clean after each write; off by default.
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

  /** Returns the text of the fix for an invalid value; None for a valid one. */
  def whyNot(fact: String, value: String): Option[String] = {
    val least = if (fact == hours) Retention.leastHours else 1
    if (fact == switch) ServiceValue.whyNoFlag(value) else ServiceValue.whyNoNumber(value, least)
  }

  /** Returns the value of a table property, or its default. */
  def value(facts: Map[String, String], fact: String): String =
    facts.get(fact).fold(defaults(fact))(_.trim)

  /** Returns how much a clean keeps; None if the table has no automatic clean. */
  def retention(facts: Map[String, String]): Option[Retention] =
    Option.when(value(facts, switch).equalsIgnoreCase("true")) {
      Retention(value(facts, commits).toInt, value(facts, hours).toInt)
    }
}
