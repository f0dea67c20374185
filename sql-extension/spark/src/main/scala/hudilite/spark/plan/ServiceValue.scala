package hudilite.spark.plan

import java.util.Locale

/** Checks of the values of table properties that turn a service on after writes and bound it. */
private[plan] object ServiceValue {

  /** Returns the text of the fix for a value that is neither true nor false; None for these. */
  def whyNoFlag(value: String): Option[String] =
    Option.when(!Set("true", "false").contains(value.trim.toLowerCase(Locale.ROOT)))(
      s"Write true or false instead of '$value'."
    )

  /** Returns the text of the fix for a value that is no whole number of at least `least`; None for
    * these. */
  def whyNoNumber(value: String, least: Int): Option[String] =
    Option.when(!value.trim.toIntOption.exists(_ >= least))(
      s"Write a number that is at least $least instead of '$value'."
    )
}
