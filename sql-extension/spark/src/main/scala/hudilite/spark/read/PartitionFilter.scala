package hudilite.spark.read

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BindReferences,
  CommonExpressionRef,
  Expression,
  Predicate,
  Unevaluable,
  With
}
import org.apache.spark.sql.catalyst.optimizer.{
  ComputeCurrentTime,
  ReplaceCurrentLike,
  ReplaceExpressions
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

/** SQL condition on partition columns, as in WHERE. Evaluated on the driver, for one partition at a
  * time. */
object PartitionFilter {

  /** Compiles a condition.
    * @param text    the condition; None accepts every partition
    * @param columns partition columns with their types
    * @param invalid builds the error for an invalid condition, from a text that says what to write
    *                instead
    * @return predicate on the values of `columns`; it throws the errors that the condition raises
    *         for them, as in a query */
  def of(
      session: SparkSession,
      text: Option[String],
      columns: StructType,
      invalid: String => Throwable
  ): InternalRow => Boolean = text.fold[InternalRow => Boolean](_ => true) { filter =>
    val names = columns.fieldNames.mkString(", ")
    val wanted =
      if (columns.isEmpty) "The table has no partition columns: remove the argument."
      else s"Write a condition that uses only the partition columns ($names), as after WHERE."
    def refused(reason: String) = invalid(s"$wanted $reason")
    val relation = LocalRelation(DataTypeUtils.toAttributes(columns))
    val usable = conditionOn(session, filter, relation, refused)
    Predicate.createInterpreted(BindReferences.bindReference(usable, relation.output)).eval
  }

  /** Returns a condition on some columns that can be evaluated for each row by itself.
    * @param invalid builds the error for an invalid condition, from the reason */
  private[spark] def condition(
      session: SparkSession,
      text: String,
      columns: StructType,
      invalid: String => Throwable
  ): Expression =
    conditionOn(session, text, LocalRelation(DataTypeUtils.toAttributes(columns)), invalid)

  /** Returns a condition with the names of the columns; Spark keeps those that are written. */
  private def named(condition: Expression, relation: LocalRelation): Expression =
    condition.transform { case column: Attribute =>
      relation.output.find(_.exprId == column.exprId).getOrElse(column)
    }

  private def conditionOn(
      session: SparkSession,
      text: String,
      relation: LocalRelation,
      invalid: String => Throwable
  ): Expression = {
    val found =
      try resolved(session, text, relation)
      catch { case e: AnalysisException => throw invalid(e.getSimpleMessage.linesIterator.next()) }
    if (!found.deterministic) throw invalid("It must be deterministic.")
    found.find(of => of.isInstanceOf[Unevaluable] && !of.isInstanceOf[Attribute]).foreach { part =>
      throw invalid(s"It cannot contain ${part.prettyName}.")
    }
    named(found, relation)
  }

  /** Parses and analyzes the condition as for a query on these columns. */
  private def resolved(
      session: SparkSession,
      text: String,
      relation: LocalRelation
  ): Expression = {
    val state = session.sessionState
    val parsed = Filter(state.sqlParser.parseExpression(text), relation)
    evaluable(session, state.executePlan(parsed).analyzed)
  }

  /** Returns a resolved condition in the form in which it can be evaluated: BETWEEN, current_date and
    * similar expressions are replaced, as the optimizer does it. */
  private[spark] def evaluable(
      session: SparkSession,
      condition: Expression,
      relation: LocalRelation
  ): Expression = evaluable(session, Filter(condition, relation))

  private def evaluable(session: SparkSession, filter: LogicalPlan): Expression = {
    val catalogs = session.sessionState.catalogManager
    val rules = Seq(ReplaceExpressions, ComputeCurrentTime, ReplaceCurrentLike(catalogs))
    rules.foldLeft(filter)((plan, rule) => rule(plan)) match {
      case Filter(condition, _) => inlined(condition)
      case other => throw new IllegalStateException(s"INTERNAL: a filter became $other")
    }
  }

  /** Replaces the common expressions that BETWEEN and NULLIF define once and use twice, because
    * `With` cannot be evaluated. */
  private def inlined(condition: Expression): Expression = condition.transformUp {
    case With(child, definitions) =>
      child.transform { case reference: CommonExpressionRef =>
        definitions.find(_.id == reference.id).fold[Expression](reference)(_.child)
      }
  }
}
