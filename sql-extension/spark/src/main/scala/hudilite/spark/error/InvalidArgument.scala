package hudilite.spark.error

import hudilite.error.HudiliteException

/** Builder of HUDILITE_ARGUMENT_INVALID, the error for an argument of CALL. */
object InvalidArgument {

  /** Most characters of a value that the error shows. */
  val shownLength = 100

  /** @param procedure name of the procedure
    * @param argument  name of the argument
    * @param value     its value; a long one is cut, and control characters become blanks, so that
    *                  it stays on one line
    * @param fix       what to write instead */
  def apply(procedure: String, argument: String, value: String, fix: String): HudiliteException =
    HudiliteException(
      "HUDILITE_ARGUMENT_INVALID",
      "argument" -> argument,
      "procedure" -> procedure,
      "value" -> shown(value),
      "fix" -> fix
    )

  private def shown(value: String): String = {
    val line = value.take(shownLength).map(c => if (c.isControl) ' ' else c)
    if (value.isEmpty) "an empty text" else if (value.length > shownLength) s"$line..." else line
  }
}
