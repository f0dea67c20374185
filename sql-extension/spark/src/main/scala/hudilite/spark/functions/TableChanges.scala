package hudilite.spark.functions

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.functions.{timestamp_micros, try_element_at, typedLit}
import org.apache.spark.sql.hudilite.PlanFrame

import hudilite.commit.{Committed, TimelineEntry}
import hudilite.error.HudiliteException
import hudilite.spark.analyze.{ChangesFunction, TableFunctionCall}
import hudilite.spark.read.ChangedRows
import hudilite.timeline.Instant

/** Delta's table function `table_changes('table', start [, end])`: the rows that the commits from
  * `start` to `end` have changed, both included. A version of Delta is a commit number, or an instant.
  * Version 0, Delta's creation of the table, has no changes.
  * Source: Delta's change data feed. */
private[functions] object TableChanges {
  private val ends = "with commit numbers or instants as start and end"
  private val byName = s"table_changes('table', start [, end]), $ends"
  private val byPath = s"table_changes_by_path('/path', start [, end]), $ends"

  /** The function by the name of a table, and the one by path. Both accept both. */
  val functions: Seq[(String, String, TableFunctionCall => LogicalPlan)] = Seq(
    ("table_changes", byName, call => of(call)),
    ("table_changes_by_path", byPath, call => of(call))
  )

  private val version = "_commit_version"
  private val timestamp = "_commit_timestamp"
  private val microsPerMilli = 1000L

  /** Errors: HUDILITE_ARGUMENT_INVALID; HUDILITE_VERSION_NOT_FOUND for a number or an instant that is
    * not a commit of the active timeline, or whose changes are no longer available; those of
    * [[ChangesFunction.plan]]. */
  private def of(call: TableFunctionCall): LogicalPlan = {
    call.checkCount(2, 3)
    val table = call.table
    val steps = Committed.steps(table.timeline)
    val numbers = TimelineEntry.numbersOf(table.timeline).filter(of =>
      steps.exists(_.contains(of._1))
    )
    def place(position: Int, argument: String): Int = {
      val (text, isAsked) = commit(call, position, argument, numbers)
      val found = steps.indexWhere(_.exists(isAsked))
      if (found < 0)
        throw notFound(table.name, text,
          "no commit of the active timeline has that number or instant")
      found
    }
    val start = if (call.text(1, "start") == "0") 0 else place(1, "start")
    val end = Option.when(call.arguments.size > 2)(place(2, "end"))
    if (end.exists(_ < start))
      throw notFound(table.name, call.text(2, "end"),
        "it was committed before the start of the changes")
    val from = steps.lift(start - 1).map(_.last)
    val to = end.map(steps(_).last)
    val times = steps.flatten.flatMap(instant =>
      table.snapshot.completedMillis(instant).map(instant -> _ * microsPerMilli)
    )
    val plan =
      try ChangesFunction.plan(table, from, to, isStrict = true)
      catch {
        case lost: HudiliteException if lost.condition == "HUDILITE_CHANGES_EXPIRED" =>
          val first = steps.dropWhile(!_.exists(lost.parameters.get("first").contains(_))).drop(1)
          throw gone(call, table.name, lost, first.flatMap(_.flatMap(numbers.get)).headOption)
      }
    val rows = PlanFrame.of(SparkSession.active, plan)
    val instant = rows(ChangedRows.instant)
    rows
      .withColumn(version, try_element_at(typedLit(numbers), instant))
      .withColumn(timestamp, timestamp_micros(try_element_at(typedLit(times.toMap), instant)))
      .drop(ChangedRows.instant)
      .queryExecution.analyzed
  }

  /** Returns the text of an argument, and which instant it means. */
  private def commit(
      call: TableFunctionCall,
      position: Int,
      argument: String,
      numbers: Map[String, Long]
  ): (String, String => Boolean) = call.constant(position, argument) match {
    case text if Instant.isTime(text.toString) => (text.toString, _ == text.toString)
    case number @ (_: Byte | _: Short | _: Int | _: Long) =>
      (number.toString, numbers.get(_).exists(_.toString == number.toString))
    case other =>
      throw call.invalid(argument, other.toString, s"Write ${call.usage}.")
  }

  /** Returns the error for a start whose changes are no longer available.
    * @param first number of the first commit whose changes are, if there is one */
  private def gone(
      call: TableFunctionCall,
      table: String,
      lost: HudiliteException,
      first: Option[Long]
  ): HudiliteException = notFound(
    table,
    call.text(1, "start"),
    s"its changes are no longer available, because ${lost.parameters("reason")}",
    first.map(number => s"Start with $number, the first commit whose changes are.")
  )

  private def notFound(
      table: String,
      text: String,
      reason: String,
      fix: Option[String] = None
  ): HudiliteException = HudiliteException(
    "HUDILITE_VERSION_NOT_FOUND",
    "table" -> table,
    "version" -> text,
    "reason" -> reason,
    "fix" -> fix.getOrElse(
      s"Type: CALL show_timeline(table => ${TableFunctionCall.literal(table)})"
    )
  )
}
