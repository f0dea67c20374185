package hudilite.spark.parse

import scala.collection.mutable

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.PlanWithUnresolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.execution.command.ExplainCommand
import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.{HudiProvider, NewTableFormat}

/** Adds the bucket clauses of a SQL text to the CREATE TABLE plans at their positions, and the mark
  * WITH SCHEMA EVOLUTION to INSERT. Hides the digits of instants from Spark's rules. */
private[parse] object ClausesInPlan {

  /** Adds the clauses of a text to its plan.
    * @param parsed   plan of the text with the clauses blanked
    * @param buckets  clauses WITH BUCKETS found in the text
    * @param evolving clauses WITH SCHEMA EVOLUTION of INSERT found in the text
    * @return the plan with what each clause means
    * Errors: HUDILITE_BUCKETS_WITHOUT_PROVIDER, HUDILITE_UNSUPPORTED_STATEMENT if a clause matches
    * no statement of a script, those of BucketsOf. */
  def attach(
      parsed: LogicalPlan,
      buckets: Seq[BucketsClause],
      evolving: Seq[EvolutionClause]
  ): LogicalPlan = parsed match {
    case script: CompoundBody =>
      val (result, attached) = inScript(script, buckets, evolving)
      // Spark replaces parameters by their values, which shifts the positions behind them.
      (buckets ++ evolving).find(!attached(_)).foreach(clause => throw notFound(clause))
      result
    case statement => inStatement(statement, buckets.headOption, evolving.nonEmpty)
  }

  private def inStatement(
      plan: LogicalPlan,
      clause: Option[BucketsClause],
      evolves: Boolean
  ): LogicalPlan =
    CurrentOrigin.withOrigin(plan.origin) {
      InstantDigits.hidden(plan match {
        case explain: ExplainCommand =>
          explain.copy(logicalPlan = inStatement(explain.logicalPlan, clause, evolves))
        case named: PlanWithUnresolvedIdentifier =>
          named.copy(planBuilder =
            (name, children) => inStatement(named.planBuilder(name, children), clause, evolves)
          )
        case create: V2CreateTablePlan =>
          if (!isOurs(create, clause)) create
          else StatedExpressions.stored(BucketsOf(create, clause))
        case other if evolves => EvolutionClause.marked(other)
        case other => other
      })
    }

  /** @return the script, and the clauses that matched a statement */
  private def inScript(
      script: CompoundBody,
      buckets: Seq[BucketsClause],
      evolving: Seq[EvolutionClause]
  ): (CompoundBody, Set[ClauseText]) = {
    val found = mutable.Set.empty[ClauseText]

    def body(plan: CompoundBody): CompoundBody = at(plan) {
      plan.copy(collection = plan.collection.map(step), handlers = plan.handlers.map(handler))
    }

    def handler(plan: ExceptionHandler): ExceptionHandler =
      at(plan)(plan.copy(body = body(plan.body)))

    def single(plan: SingleStatement): SingleStatement = at(plan) {
      val origin = plan.parsedPlan.origin
      val clause = buckets.find(c => origin.startIndex.contains(c.statement))
      val inserts = evolving.filter(c =>
        origin.startIndex.exists(_ <= c.from) && origin.stopIndex.exists(_ > c.from)
      )
      found ++= clause ++ inserts
      SingleStatement(inStatement(plan.parsedPlan, clause, inserts.nonEmpty))
    }

    def step(plan: CompoundPlanStatement): CompoundPlanStatement = at(plan) {
      plan match {
        case of: SingleStatement => single(of)
        case block: CompoundBody => body(block)
        case branch: IfElseStatement =>
          branch.copy(
            conditions = branch.conditions.map(single),
            conditionalBodies = branch.conditionalBodies.map(body),
            elseBody = branch.elseBody.map(body)
          )
        case branch: SearchedCaseStatement =>
          branch.copy(
            conditions = branch.conditions.map(single),
            conditionalBodies = branch.conditionalBodies.map(body),
            elseBody = branch.elseBody.map(body)
          )
        case branch: SimpleCaseStatement =>
          branch.copy(
            conditionalBodies = branch.conditionalBodies.map(body),
            elseBody = branch.elseBody.map(body)
          )
        case loop: WhileStatement =>
          loop.copy(condition = single(loop.condition), body = body(loop.body))
        case loop: RepeatStatement =>
          loop.copy(condition = single(loop.condition), body = body(loop.body))
        case loop: LoopStatement => loop.copy(body = body(loop.body))
        case loop: ForStatement =>
          loop.copy(query = single(loop.query), body = body(loop.body))
        case on: ExceptionHandler => handler(on)
        case leaf => leaf
      }
    }

    val result = body(script)
    (result, found.toSet)
  }

  private def notFound(clause: ClauseText): AnalysisException = {
    val (words, outside) = clause match {
      case _: BucketsClause => ("WITH BUCKETS", "create the table")
      case _ => ("INSERT WITH SCHEMA EVOLUTION", "run the statement")
    }
    AnalysisErrors.of(
      "HUDILITE_UNSUPPORTED_STATEMENT",
      "statement" -> s"$words in a script with parameters",
      "table" -> "of the script",
      "fix" -> s"Write the values into the script, or $outside outside the script."
    )
  }

  /** Creates a node with the origin of `old`: a node takes its position in the text from the
    * current origin when it is created. */
  private def at[A <: LogicalPlan](old: LogicalPlan)(make: => A): A =
    CurrentOrigin.withOrigin(old.origin)(make)

  private def isOurs(create: V2CreateTablePlan, clause: Option[BucketsClause]): Boolean = {
    val ours = NewTableFormat.isOurs(create)
    if (clause.nonEmpty && !ours) {
      val default = SQLConf.get.defaultDataSourceName
      val provider = NewTableFormat.specOf(create).flatMap(_.provider)
        .getOrElse(if (HudiProvider.isOurs(default)) "the format of its catalog" else default)
      throw AnalysisErrors.of("HUDILITE_BUCKETS_WITHOUT_PROVIDER", "provider" -> provider)
    }
    ours
  }
}
