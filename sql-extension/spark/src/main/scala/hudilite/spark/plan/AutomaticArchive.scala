package hudilite.spark.plan

import hudilite.service.ActiveLimits

/** Table properties for an archival of the timeline after each write; off by default.
  * Source: Hudi's hoodie.archive.automatic, hoodie.keep.min.commits, hoodie.keep.max.commits. */
object AutomaticArchive {
  private val switch = "hoodie.archive.automatic"
  private val least = "hoodie.keep.min.commits"
  private val most = "hoodie.keep.max.commits"

  private val defaults = Map(
    switch -> "false",
    least -> ActiveLimits.least.toString,
    most -> ActiveLimits.most.toString
  )

  val names: Seq[String] = Seq(switch, least, most)

  /** Returns the text of the fix for an invalid value; None for a valid one. */
  def whyNot(fact: String, value: String): Option[String] =
    if (fact == switch) ServiceValue.whyNoFlag(value) else ServiceValue.whyNoNumber(value, 1)

  /** Returns the property that does not fit the others, and the text of the fix; None if they fit.
    * @param facts valid properties */
  def mismatch(facts: Map[String, String]): Option[(String, String)] = {
    val (low, high) = (value(facts, least).toInt, value(facts, most).toInt)
    Option.when(high <= low)(
      most -> s"It is $high, and $least is $low. Write a number that is more than $low."
    )
  }

  /** Returns the value of a table property, or its default. */
  def value(facts: Map[String, String], fact: String): String =
    facts.get(fact).fold(defaults(fact))(_.trim)

  /** Returns the limits of an archival; None if the table has no automatic archival. */
  def limits(facts: Map[String, String]): Option[ActiveLimits] =
    Option.when(value(facts, switch).equalsIgnoreCase("true")) {
      ActiveLimits(value(facts, least).toInt, value(facts, most).toInt)
    }
}
