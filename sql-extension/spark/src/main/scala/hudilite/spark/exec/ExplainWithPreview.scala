package hudilite.spark.exec

import scala.util.control.NonFatal
import scala.util.{Success, Try}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution.CommandExecutionMode
import org.apache.spark.sql.execution.command.{ExplainCommand, LeafRunnableCommand}
import org.apache.spark.sql.{Row, SparkSession}

import hudilite.error.HudiliteException
import hudilite.spark.error.Cancellation

/** EXPLAIN that shows, below the plan of a write, what the write would do: it runs the planned
  * statement, which writes nothing. Of any other statement it shows what Spark shows.
  * @param explain EXPLAIN as Spark has parsed it */
final case class ExplainWithPreview(explain: ExplainCommand) extends LeafRunnableCommand {

  override val output: Seq[Attribute] = explain.output

  override def run(session: SparkSession): Seq[Row] = {
    val planned = ClassicSession.active.sessionState
      .executePlan(explain.logicalPlan, CommandExecutionMode.SKIP)
    Try(planned.executedPlan) match {
      case Success(commit: CommitWriteExec) =>
        val plan = planned.explainString(explain.mode).stripTrailing()
        Seq(Row(s"$plan\n\n== Preview ==\n${ExplainWithPreview.preview(commit).mkString("\n")}\n"))
      case _ => explain.run(session)
    }
  }
}

object ExplainWithPreview {

  /** Returns the lines of a preview, or one that says how the statement would fail. */
  private def preview(commit: CommitWriteExec): Seq[String] =
    try lines(WritePreview.of(commit.write, commit.child, sample = 0))
    catch {
      case NonFatal(e) if !Cancellation.isIn(e) => Seq(s"The statement would fail: ${firstLine(e)}")
    }

  private def lines(preview: WritePreview): Seq[String] = {
    def listed(instants: Seq[String]) = if (instants.isEmpty) "none" else instants.mkString(", ")
    val facts = Seq[(String, Any)]("partitions" -> preview.partitions.size) ++
      PreviewTotals.names.zip(preview.totals) ++
      Seq[(String, Any)](
        "blind" -> preview.isBlind,
        "reason" -> preview.reason,
        "pending_writes" -> listed(preview.pending),
        "conflicts" -> listed(preview.conflicts)
      )
    facts.map { case (name, value) => s"$name: $value" }
  }

  private def firstLine(thrown: Throwable): String = {
    val told = known(thrown).getOrElse(thrown)
    Option(told.getMessage).flatMap(_.linesIterator.nextOption()).getOrElse(told.toString)
  }

  /** Returns the first error with a condition in a chain of causes. */
  private def known(thrown: Throwable): Option[Throwable with SparkThrowable] =
    HudiliteException.causes(thrown).collectFirst {
      case e: SparkThrowable if Option(e.getCondition).nonEmpty => e
    }
}
