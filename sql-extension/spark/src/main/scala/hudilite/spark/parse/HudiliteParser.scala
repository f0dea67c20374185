package hudilite.spark.parse

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.{ParameterContext, ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.execution.command.ExplainCommand
import org.apache.spark.sql.internal.VariableSubstitution
import org.apache.spark.sql.types.{DataType, StructType}

/** SQL parser that adds `WITH BUCKETS n [ON (columns)]`, `INSERT WITH SCHEMA EVOLUTION`, and
  * statements of Delta, Iceberg and stock Hudi about a table, to Spark's parser or to that of another
  * extension.
  *
  * It finds a clause by its tokens, replaces it by spaces so that all positions stay correct, and
  * adds what it means to the plan that `delegate` returns for the remaining text.
  * @param delegate parser of everything else */
final class HudiliteParser(delegate: ParserInterface) extends ParserInterface {

  private val variables = new VariableSubstitution()

  override def parsePlan(sqlText: String): LogicalPlan =
    statement(sqlText, parse(_, delegate.parsePlan))

  override def parsePlanWithParameters(sqlText: String, context: ParameterContext): LogicalPlan =
    statement(sqlText, parse(_, delegate.parsePlanWithParameters(_, context)))

  override def parseQuery(sqlText: String): LogicalPlan =
    InstantDigits.hidden(delegate.parseQuery(sqlText))
  override def parseExpression(sqlText: String): Expression =
    InstantDigits.hidden(delegate.parseExpression(sqlText))
  override def parseTableIdentifier(sqlText: String): TableIdentifier =
    delegate.parseTableIdentifier(sqlText)
  override def parseFunctionIdentifier(sqlText: String): FunctionIdentifier =
    delegate.parseFunctionIdentifier(sqlText)
  override def parseMultipartIdentifier(sqlText: String): Seq[String] =
    delegate.parseMultipartIdentifier(sqlText)
  override def parseTableSchema(sqlText: String): StructType = delegate.parseTableSchema(sqlText)
  override def parseDataType(sqlText: String): DataType = delegate.parseDataType(sqlText)
  override def parseRoutineParam(sqlText: String): StructType =
    delegate.parseRoutineParam(sqlText)

  /** @param others what the other parsers make of a text */
  private def statement(sqlText: String, others: String => LogicalPlan): LogicalPlan =
    if (!TableCommands.mayBeIn(sqlText)) others(sqlText)
    else {
      val text = variables.substitute(sqlText)
      (TableCommands.in(text), ExplainedCommand.in(text)) match {
        case (Some(command), _) => command.plan(attempt(sqlText, others))
        case (None, Some(explained)) =>
          ExplainCommand(explained.command.plan(attempt(explained.text, others)), explained.mode)
        case (None, None) =>
          val plan = attempt(sqlText, others)
            .fold(fault => throw ConvertToDelta.in(text).getOrElse(fault), identity)
          CreateClauses.check(text, plan)
          plan
      }
    }

  private def attempt(
      sqlText: String,
      others: String => LogicalPlan
  ): Either[ParseException, LogicalPlan] =
    try Right(others(sqlText))
    catch {
      case own: HudiliteParseException => throw own
      case fault: ParseException => Left(fault)
    }

  private def parse(sqlText: String, parseRest: String => LogicalPlan): LogicalPlan = {
    val mayHave = BucketsClause.mayBeIn(sqlText) || EvolutionClause.mayBeIn(sqlText)
    val text = if (mayHave) variables.substitute(sqlText) else sqlText
    val (buckets, evolving) = (BucketsClause.in(text), EvolutionClause.in(text))
    val clauses = buckets ++ evolving
    if (clauses.isEmpty) attach(parseRest(sqlText), Nil, Nil)
    else
      attach(showing(text)(parseRest(ClauseText.blank(text, clauses))), buckets, evolving)
  }

  private def attach(
      parsed: LogicalPlan,
      buckets: Seq[BucketsClause],
      evolving: Seq[EvolutionClause]
  ): LogicalPlan =
    try ClausesInPlan.attach(parsed, buckets, evolving)
    catch {
      case fault: AnalysisException if fault.getCondition.startsWith("HUDILITE_") =>
        throw new HudiliteParseException(fault)
    }

  /** Shows the statement as the user wrote it in a syntax error. */
  private def showing(sqlText: String)(plan: => LogicalPlan): LogicalPlan =
    try plan
    catch { case fault: ParseException => throw fault.withCommand(sqlText) }
}
