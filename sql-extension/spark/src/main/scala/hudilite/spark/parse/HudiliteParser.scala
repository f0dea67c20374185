package hudilite.spark.parse

import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.{
  ParameterContext,
  ParameterHandler,
  ParseException,
  ParserInterface
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.{SQLConf, VariableSubstitution}
import org.apache.spark.sql.types.{DataType, StructType}

/** Spark's parser, or another extension's, with `WITH BUCKETS n [ON (columns)]` understood.
  *
  * The clause is found by its tokens, blanked so that every position stays true, and added as a
  * bucket transform to the plan that `delegate` makes of the rest.
  * @param delegate parser of everything else */
final class HudiliteParser(delegate: ParserInterface) extends ParserInterface {

  private val variables = new VariableSubstitution()

  override def parsePlan(sqlText: String): LogicalPlan =
    parse(sqlText, identity, delegate.parsePlan, delegate.parsePlan(sqlText))

  override def parsePlanWithParameters(sqlText: String, context: ParameterContext): LogicalPlan = {
    def whole = delegate.parsePlanWithParameters(sqlText, context)
    if (SQLConf.get.legacyParameterSubstitutionConstantsOnly)
      parse(sqlText, identity, delegate.parsePlanWithParameters(_, context), whole)
    else
      // A marker may stand in the clause itself, so markers are replaced before it is blanked.
      parse(sqlText, replaceMarkers(_, context), delegate.parsePlan, whole)
  }

  override def parseQuery(sqlText: String): LogicalPlan = delegate.parseQuery(sqlText)
  override def parseExpression(sqlText: String): Expression = delegate.parseExpression(sqlText)
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

  private def parse(
      sqlText: String,
      prepare: String => String,
      parseBlanked: String => LogicalPlan,
      withoutClause: => LogicalPlan
  ): LogicalPlan = {
    val substituted = variables.substitute(sqlText)
    if (!BucketsClause.mayBeIn(substituted)) BucketsInPlan.attach(withoutClause, Nil)
    else {
      val text = prepare(substituted)
      BucketsClause.in(text) match {
        case Seq() => BucketsInPlan.attach(withoutClause, Nil)
        case clauses =>
          val blanked = BucketsClause.blank(text, clauses)
          BucketsInPlan.attach(showing(text)(parseBlanked(blanked)), clauses)
      }
    }
  }

  private def replaceMarkers(sqlText: String, context: ParameterContext): String =
    ParameterHandler.substituteParameters(sqlText, context)._1

  /** A syntax error shows the statement as it was written. */
  private def showing(sqlText: String)(plan: => LogicalPlan): LogicalPlan =
    try plan
    catch { case fault: ParseException => throw fault.withCommand(sqlText) }
}
