package hudilite.spark.analyze

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{
  Assignment,
  DeleteAction,
  InsertAction,
  LogicalPlan,
  MergeAction,
  Project,
  UpdateAction
}
import org.apache.spark.sql.types.{BooleanType, MetadataBuilder}

/** Extracts from the expressions of a statement what no merge task can evaluate (subqueries, Python
  * functions, nondeterministic expressions, meta columns) and makes it columns of the source, so
  * that Spark evaluates it there. */
private[analyze] final class MergeExpressions(target: HudiliteTarget) {
  private val ofSource = ArrayBuffer.empty[Alias]
  private val ofPairs = ArrayBuffer.empty[Alias]

  /** Whether a column has one value for all source rows, as that of a sub-query that reads no source
    * row. */
  def isOneValue(column: Attribute): Boolean = ofSource.exists { alias =>
    alias.exprId == column.exprId && MergeExpressions.isConstant(alias.child) &&
    alias.references.isEmpty
  }

  /** Extracted columns that are computed from pairs of a source row and a target row. */
  def pairColumns: Seq[Alias] = ofPairs.toSeq

  /** Returns the source with the columns extracted so far that need source rows only. */
  def over(source: LogicalPlan): LogicalPlan =
    if (ofSource.isEmpty) source else Project(source.output ++ ofSource, source)

  /** Returns an ON condition from which the parts that need source rows only are extracted. */
  def withSource(condition: Expression): Expression =
    extracted(condition, ofSource, None)(isOfSource)

  /** Returns a clause from which the parts that need source rows only are extracted.
    * @param matchesOnce whether the clause sees each source row at most once: only then a value that
    *                    changes with each call may be computed for a source row */
  def withSource(action: MergeAction, matchesOnce: Boolean): MergeAction = {
    val guard = action.condition.filter(c => isPlain(c) && isOfSource(c))
    def takes(part: Expression) =
      isOfSource(part) && (matchesOnce || MergeExpressions.isConstant(part))
    changed(action, extracted(_, ofSource, None)(takes), extracted(_, ofSource, guard)(takes))
  }

  /** Returns a WHEN MATCHED clause from which the parts that need a pair of rows are extracted. */
  def withPair(action: MergeAction): MergeAction = {
    val guard = action.condition.filter(isPlain)
    changed(action, extracted(_, ofPairs, None)(_ => true),
      extracted(_, ofPairs, guard)(_ => true))
  }

  def isPlain(expression: Expression): Boolean = MergeExpressions.isPlain(target, expression)

  /** Whether a task can evaluate all expressions of a clause. */
  def isPlain(action: MergeAction): Boolean =
    action.condition.forall(isPlain) && MergeExpressions.values(action).forall(isPlain)

  private def isOfSource(e: Expression) = !e.references.exists(target.all.contains)

  /** Returns an expression in which columns replace its smallest parts that no task can evaluate.
    * Expressions around these parts may fail, so they are evaluated only for rows for which the
    * clause fires.
    * @param takes whether a part may become a column of `to` */
  private def extracted(e: Expression, to: ArrayBuffer[Alias], guard: Option[Expression])(
      takes: Expression => Boolean
  ): Expression =
    if (isPlain(e)) e
    else
      MergeExpressions.inlined(e) match {
        case Some(whole) => extracted(whole, to, guard)(takes)
        case None if MergeExpressions.isPart(e) => if (takes(e)) added(to, e, guard) else e
        case None if MergeExpressions.holdsIn(e) && takes(e) => added(to, e, guard)
        case None => e.mapChildren(extracted(_, to, guard)(takes))
      }

  private def changed(
      action: MergeAction,
      condition: Expression => Expression,
      value: Expression => Expression
  ): MergeAction = {
    def assigned(assignments: Seq[Assignment]) =
      assignments.map(a => a.copy(value = MergeClauses.bare(a.value))).map { a =>
        a.copy(value = value(a.value))
      }
    action match {
      case UpdateAction(c, assignments, star) =>
        UpdateAction(c.map(condition), assigned(assignments), star)
      case InsertAction(c, assignments) => InsertAction(c.map(condition), assigned(assignments))
      case DeleteAction(c) => DeleteAction(c.map(condition))
      case other => other
    }
  }

  private def added(to: ArrayBuffer[Alias], e: Expression, guard: Option[Expression]) = {
    val value = guard.fold(e)(If(_, e, Literal(null, e.dataType)))
    val name = s"value_${ofSource.size + ofPairs.size}"
    val asWritten = new MetadataBuilder().putString(MergeExpressions.written, e.sql).build()
    val alias = Alias(value, name)(explicitMetadata = Some(asWritten))
    to += alias
    alias.toAttribute
  }
}

private[analyze] object MergeExpressions {

  /** Name of the metadata that contain the SQL of an extracted expression. */
  private val written = "hudilite.written"

  /** Returns the SQL of a value as the statement has it. */
  def sqlOf(value: Expression): String = {
    val extracted = value.references.filter(_.metadata.contains(written)).toSeq
    extracted.sortBy(-_.name.length).foldLeft(value.sql) { (sql, part) =>
      sql.replace(part.sql, part.metadata.getString(written))
    }
  }

  /** Whether a merge task can evaluate an expression over a source row and a target row. */
  def isPlain(target: HudiliteTarget, expression: Expression): Boolean =
    expression.deterministic && !SubqueryExpression.hasSubquery(expression) &&
      !expression.exists(_.isInstanceOf[PythonFuncExpression]) &&
      !expression.references.exists(a => target.all.contains(a) && !target.isColumn(a))

  /** Errors: HUDILITE_UNSUPPORTED_CLAUSE for an aggregate, a window function or a generator,
    * DATATYPE_MISMATCH for a condition that is not boolean. */
  def check(target: HudiliteTarget, conditions: Seq[Expression], values: Seq[Expression]): Unit = {
    conditions.foreach(HudiliteTarget.checkBoolean)
    (conditions ++ values).foreach(_.foreach {
      case e: AggregateExpression => refuse(target, "An aggregate", e)
      case e: WindowExpression => refuse(target, "A window function", e)
      case e: Generator => refuse(target, "A generator", e)
      case _ =>
    })
  }

  /** Refuses a condition with a value that changes with each call: which rows it selects depends on
    * how often a plan evaluates it. One in a sub-query is evaluated once.
    *
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE.
    * @param fix what to type instead, of the condition and the call in it */
  def checkConstant(target: HudiliteTarget, conditions: Seq[Expression])(
      fix: (Expression, Expression) => String
  ): Unit = for (condition <- conditions; call <- condition.find(isChanging))
    throw target.unsupported(
      s"A value that changes with each call, ${call.sql}, in a condition",
      fix(condition, call)
    )

  /** Whether an expression that a task cannot evaluate is extracted as it is or not at all, and never only
    * a part of it: a branch may be evaluated only for the rows that take it, and with the NOT around it
    * Spark treats a null in IN differently. */
  private def isPart(e: Expression): Boolean = e match {
    case _: SubqueryExpression | _: InSubquery | _: PythonFuncExpression |
        _: HigherOrderFunction | _: With | _: Attribute => true
    case _: UpdateFields | _: StructFieldsOperation => false
    case not: Not if holdsIn(not) => true
    case _: ConditionalExpression | _: And | _: Or => !e.deterministic
    case _ => !e.mapChildren(child => Literal(null, child.dataType)).deterministic
  }

  /** Returns an expression that names values and uses them several times, as BETWEEN does, with the
    * values in the places of their names; None for another expression, and for values that change
    * with each call. */
  private def inlined(e: Expression): Option[Expression] = e match {
    case named: With if named.defs.forall(_.deterministic) =>
      val values = named.defs.map(value => value.id -> value.child).toMap
      Some(named.child.transform { case use: CommonExpressionRef => values.getOrElse(use.id, use) })
    case _ => None
  }

  /** Whether an expression is a predicate with IN (SELECT ...). */
  private def holdsIn(e: Expression): Boolean = e match {
    case _: And | _: Or => false
    case _ => e.dataType == BooleanType && e.exists(_.isInstanceOf[InSubquery])
  }

  /** Whether an expression has one value for a source row; a sub-query is evaluated once. */
  private def isConstant(e: Expression): Boolean =
    e.deterministic || e.isInstanceOf[SubqueryExpression]

  private def isChanging(e: Expression) = !e.deterministic && e.children.forall(_.deterministic) &&
    !e.isInstanceOf[SubqueryExpression]

  /** Expressions that a clause assigns. */
  def values(action: MergeAction): Seq[Expression] = action match {
    case UpdateAction(_, assignments, _) => assignments.map(_.value)
    case InsertAction(_, assignments) => assignments.map(_.value)
    case _ => Nil
  }

  def refuse(target: HudiliteTarget, what: String, expression: Expression): Nothing =
    throw target.unsupported(s"$what: ${expression.sql}",
      "Compute it in the source query of the MERGE.")
}
