package hudilite.procedures

import org.apache.spark.sql.catalyst.analysis.{EliminateSubqueryAliases, UnresolvedRelation}
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.{
  CompoundBody,
  DeleteFromTable,
  InsertIntoStatement,
  LogicalPlan,
  MergeIntoTable,
  UnresolvedWith,
  UpdateTable,
  V2WriteCommand
}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.CommandExecutionMode
import org.apache.spark.sql.execution.datasources.v2.ExtractV2Table

import hudilite.error.HudiliteException
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.exec.CommitWriteExec

/** Text of a statement that writes to a hudilite table, planned but not executed (driver side).
  * @param refused builds the error for a text that is another statement, from what to write instead
  * @param notOurs builds the error for a statement on another table, from the name of that table */
final private[procedures] class StatementText(
    session: SparkSession,
    refused: String => HudiliteException,
    notOurs: String => HudiliteException
) {
  import StatementText._

  /** Plans the statement.
    * Errors: those of the statement in its analysis, and those of `refused` and `notOurs`. */
  def plan(text: String): CommitWriteExec = {
    val parsed = parse(text)
    val target = targetOf(parsed).getOrElse(throw refused(oneStatement))
    checkOurs(target) // first: the analysis of a statement may change a table of another catalog
    session.sessionState.executePlan(parsed, CommandExecutionMode.SKIP).executedPlan match {
      case commit: CommitWriteExec => commit
      case other => throw new IllegalStateException(s"INTERNAL: no write but ${other.nodeName}")
    }
  }

  private def parse(text: String): LogicalPlan =
    try session.sessionState.sqlParser.parsePlan(text)
    catch { case e: ParseException => throw if (isSeveral(text)) refused(oneStatement) else e }

  /** Whether a text consists of several statements, of which each can be parsed; the last one may end with a
    * semicolon, and with a comment after it. */
  private def isSeveral(text: String): Boolean = Seq("\n;", "\n").exists { end =>
    try
      session.sessionState.sqlParser.parsePlan(s"BEGIN\n$text$end END") match {
        case body: CompoundBody => body.collection.size > 1
        case _ => false
      }
    catch { case _: ParseException => false }
  }

  private def checkOurs(target: LogicalPlan): Unit = {
    val of = session.sessionState.executePlan(target, CommandExecutionMode.SKIP).analyzed
    EliminateSubqueryAliases(of) match {
      case ExtractV2Table(_: HudiliteTable) => ()
      case _ => throw notOurs(nameOf(target))
    }
  }
}

private object StatementText {
  private val oneStatement = "Write one MERGE, UPDATE, DELETE or INSERT statement."

  /** Returns the table that a statement writes to, None if it is another statement. */
  private def targetOf(parsed: LogicalPlan): Option[LogicalPlan] = parsed match {
    case UnresolvedWith(statement, _, _) => targetOf(statement)
    case merge: MergeIntoTable => Some(merge.targetTable)
    case update: UpdateTable => Some(update.table)
    case delete: DeleteFromTable => Some(delete.table)
    case insert: InsertIntoStatement => Some(insert.table)
    case write: V2WriteCommand => Some(write.table)
    case _ => None
  }

  private def nameOf(target: LogicalPlan): String =
    target.collectFirst { case relation: UnresolvedRelation => relation.name }
      .getOrElse(target.nodeName)
}
