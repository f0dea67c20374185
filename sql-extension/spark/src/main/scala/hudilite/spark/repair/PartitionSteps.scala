package hudilite.spark.repair

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.apache.spark.sql.classic.SparkSession

import hudilite.error.{Conditions, HudiliteException}
import hudilite.io.StorageFault
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.WriteSettings
import hudilite.spark.write.ConflictRetries

/** Rewrite of some partitions of a table in steps, beside other writers (driver side). Each step is
  * one commit. A conflict makes only its own step run again, as often as other writes are run
  * again. A step of several partitions is then divided into one for each.
  * Source: decision 0026.
  * @param procedure name of the procedure, for errors
  * @param first     the table as the steps were planned
  * @param open      opens the table as it is then
  * @param toGoOn    returns the CALL that rewrites partitions that are left
  * @param commit    commits some partitions of the table as it was opened, and returns what was
  *                  done: nothing if nothing is left to do */
final private[repair] class PartitionSteps[A](
    session: SparkSession,
    procedure: String,
    first: HudiliteTable,
    open: () => HudiliteTable,
    toGoOn: Seq[String] => String
)(commit: (HudiliteTable, Seq[String]) => Seq[A]) {
  private val maxRetries = WriteSettings.of(session.sessionState.conf).maxRetries
  private val tables = Iterator.single(first) ++ Iterator.continually(open())

  /** Runs steps, one after the other.
    * @param steps paths of the partitions of each step
    * @return what was done
    * Errors: those of `commit`, if nothing was committed before; HUDILITE_PARTLY_COMMITTED. */
  def run(steps: Seq[Seq[String]]): Seq[A] = from(steps.toList, Vector.empty, Vector.empty)

  @tailrec private def from(
      left: List[Seq[String]],
      ended: Vector[String],
      done: Vector[A]
  ): Seq[A] = left match {
    case Nil => done
    case step :: later =>
      val result =
        try attempted(step)
        catch {
          case NonFatal(e) if done.nonEmpty => throw stopped(e, ended, left.flatten)
        }
      result match {
        case Some(more) => from(later, ended ++ step, done ++ more)
        case None => from(step.map(Seq(_)).toList ++ later, ended, done)
      }
  }

  /** Commits a step. Returns None if it conflicts and has several partitions. */
  private def attempted(step: Seq[String]): Option[Seq[A]] =
    if (step.size == 1 || maxRetries == 0)
      Some(ConflictRetries.run(maxRetries)(commit(tables.next(), step)))
    else
      try Some(commit(tables.next(), step))
      catch { case e: HudiliteException if ConflictRetries.isConflict(e) => None }

  private def stopped(e: Throwable, ended: Seq[String], left: Seq[String]): Throwable = {
    import PartitionSteps.{reasonOf, shown}
    val parameters = Map(
      "procedure" -> procedure,
      "table" -> first.name,
      "partition" -> shown(left.take(1)),
      "reason" -> reasonOf(StorageFault.explain(e)),
      "done" -> shown(ended),
      "fix" -> s"Type: ${toGoOn(left)}"
    )
    new HudiliteException("HUDILITE_PARTLY_COMMITTED", parameters, e)
  }
}

private[repair] object PartitionSteps {
  private val mostShown = 10
  private val maxReason = 1000

  private def shown(partitions: Seq[String]): String = {
    val more = partitions.size - mostShown
    partitions.take(mostShown).mkString(", ") + (if (more > 0) s" and $more more" else "")
  }

  /** Returns the first sentence of an error: what comes after it tells to run the whole again. */
  private def reasonOf(e: Throwable): String = {
    val text = HudiliteException.find(e).fold(Option(e.getMessage).getOrElse(e.toString)) { ours =>
      s"${ours.condition}, ${Conditions.message(ours.condition, ours.parameters)}"
    }
    val line = text.linesIterator.nextOption().getOrElse("").split("\\. ", 2).head.stripSuffix(".")
    line.take(maxReason).map(c => if (c.isControl) ' ' else c)
  }
}
