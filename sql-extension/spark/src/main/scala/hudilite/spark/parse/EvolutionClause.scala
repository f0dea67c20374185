package hudilite.spark.parse

import java.util.Locale

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.{EvolvingWrites, SqlTokens}

/** One clause WITH SCHEMA EVOLUTION of an INSERT, where Spark's grammar has it only for MERGE. */
final private[parse] case class EvolutionClause(from: Int, until: Int) extends ClauseText

private[parse] object EvolutionClause {

  /** Finds the clauses of a statement or script.
    * @param sqlText statement or script, variables substituted */
  def in(sqlText: String): Seq[EvolutionClause] =
    if (!mayBeIn(sqlText)) Nil
    else
      SqlTokens.of(sqlText).sliding(words.size + 1).filter(isInsert).map { tokens =>
        EvolutionClause(tokens(1).getStartIndex, tokens(words.size - 1).getStopIndex + 1)
      }.toSeq

  /** Whether the text may contain the clause; most statements need no scan. */
  def mayBeIn(sqlText: String): Boolean =
    !EvolvingWrites.isInGrammar && {
      val text = sqlText.toLowerCase(Locale.ROOT)
      text.contains("evolution") && text.contains("insert")
    }

  /** Returns a statement whose INSERT has the mark of the clause.
    * Errors: HUDILITE_UNSUPPORTED_STATEMENT for an INSERT with several targets. */
  def marked(plan: LogicalPlan): LogicalPlan = CurrentOrigin.withOrigin(plan.origin) {
    plan match {
      case cte: UnresolvedWith => cte.withNewChildren(Seq(marked(cte.child)))
      case write @ (_: InsertIntoStatement | _: V2WriteCommand) => EvolvingWrites.marked(write)
      case _ =>
        throw AnalysisErrors.of(
          "HUDILITE_UNSUPPORTED_STATEMENT",
          "statement" -> "INSERT WITH SCHEMA EVOLUTION after FROM",
          "table" -> "of several inserts",
          "fix" -> "Write a statement INSERT WITH SCHEMA EVOLUTION INTO ... SELECT for each table."
        )
    }
  }

  private val words = Seq(INSERT, WITH, SCHEMA, EVOLUTION)

  private def isInsert(tokens: IndexedSeq[Token]): Boolean =
    tokens.size > words.size && tokens.map(_.getType).startsWith(words) &&
      Set(INTO, OVERWRITE)(tokens.last.getType)
}
