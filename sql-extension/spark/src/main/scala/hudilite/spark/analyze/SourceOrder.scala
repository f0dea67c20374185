package hudilite.spark.analyze

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, MergeAction, UpdateAction}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIfNeeded
import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.plan._

/** Ordering fields of the table within a statement: among source rows with one key the greatest
  * counts, and a source row with a smaller value than the target row changes nothing. Several fields
  * are compared as a struct: of two rows with equal values of the first, the second decides. Null is
  * the smallest value of a field.
  *
  * @param ofSource ordering value of a source row; None: rows are not ordered
  * @param ofTarget ordering value of a row of the table; None: rows are not ordered */
private[analyze] final case class SourceOrder(
    ofSource: Option[Expression],
    ofTarget: Option[Expression]
) {

  /** Condition that a source row is not older than the target row. */
  val newer: Option[Expression] =
    for (source <- ofSource; own <- ofTarget)
      yield Or(IsNull(own), GreaterThanOrEqual(source, own))

  /** Whether a condition holds for the source row with the greatest ordering value if it holds for
    * another one: it compares the first ordering field with the target row's. */
  def holdsForGreatest(condition: Expression): Boolean = condition match {
    case GreaterThan(source, own) => compares(source, own)
    case GreaterThanOrEqual(source, own) => compares(source, own)
    case LessThan(own, source) => compares(source, own)
    case LessThanOrEqual(own, source) => compares(source, own)
    case _ => false
  }

  private def compares(source: Expression, own: Expression): Boolean =
    SourceOrder.first(ofSource).exists(_.semanticEquals(source)) &&
      SourceOrder.first(ofTarget).exists(_.semanticEquals(own))

  /** Returns a clause that does not fire for a source row older than the target row. */
  def guarded(clause: Clause): Clause = newer.fold(clause)(Clause.when(_, clause))
}

private[analyze] object SourceOrder {

  /** No ordering. */
  val none: SourceOrder = SourceOrder(None, None)

  /** Order of a MERGE: the source columns with the names of the ordering fields.
    *
    * @param matched WHEN MATCHED clauses; the source needs the columns only if one of them updates
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE for an UPDATE from a source without one of them, or with one
    * of another type. */
  def of(target: HudiliteTarget, source: LogicalPlan, matched: Seq[MergeAction]): SourceOrder = {
    val own = columns(target)
    val values = own.map(column => column -> valueIn(source, column))
    val absent = values.collectFirst { case (column, None) => column }
    absent.filter(_ => matched.exists(_.isInstanceOf[UpdateAction])).foreach { column =>
      throw (named(source, column) match {
        case Seq() =>
          target.unsupported(
            s"UPDATE from a source without the ordering field ${column.name}",
            s"Add a column ${column.name} to the source."
          )
        case Seq(only) => ofAnotherType(target, column, only)
        case _ =>
          target.unsupported(
            s"UPDATE from a source with several columns ${column.name}, the ordering field",
            "Keep one of them in the query of the source."
          )
      })
    }
    if (absent.isEmpty) ordered(own, values.flatMap(_._2)) else none
  }

  /** Error for a source whose ordering field has a type that Spark does not convert to the table's.
    * @param column ordering field of the table
    * @param value  the column of the source */
  def ofAnotherType(
      target: HudiliteTarget,
      column: Expression,
      value: Attribute
  ): AnalysisException = {
    val (name, wanted) = (quoteIfNeeded(value.name), column.dataType.sql)
    val fix =
      if (Cast.canAnsiCast(value.dataType, column.dataType))
        s"In the query of the source, write CAST($name AS $wanted) AS $name instead of $name."
      else s"In the query of the source, write a column $name of type $wanted."
    target.unsupported(
      s"A source whose ordering field $name is ${value.dataType.sql}, not $wanted,",
      fix
    )
  }

  /** Order of source rows that have all columns of the table.
    * @param row columns of the source, in table order */
  def of(target: HudiliteTarget, row: Seq[Attribute]): SourceOrder = {
    val own = columns(target)
    ordered(own, own.map(column => row(target.columns.indexWhere(_.exprId == column.exprId))))
  }

  private def ordered(own: Seq[Attribute], values: Seq[Expression]): SourceOrder =
    if (own.isEmpty) none
    else SourceOrder(Some(value(own, values)), Some(value(own, own)))

  /** Returns the ordering value of a row: that of the only field, or a struct of all.
    * @param fields ordering fields of the table
    * @param values their values, in the fields' types */
  private def value(fields: Seq[Attribute], values: Seq[Expression]): Expression =
    if (values.size == 1) values.head
    else
      CreateNamedStruct(fields.zip(values).flatMap { case (field, of) =>
        Seq(Literal(field.name), of)
      })

  /** Returns the value of the first ordering field in an ordering value. */
  private def first(ordering: Option[Expression]): Option[Expression] = ordering.map {
    case several: CreateNamedStruct => several.valExprs.head
    case only => only
  }

  private def columns(target: HudiliteTarget): Seq[Attribute] =
    target.table.config.orderingFields.flatMap(name => target.columns.find(_.name == name))

  private def valueIn(source: LogicalPlan, column: Attribute): Option[Expression] =
    named(source, column).filter(a => Cast.canANSIStoreAssign(a.dataType, column.dataType)) match {
      case Seq(only) => Some(cast(only, column))
      case _ => None
    }

  private def named(source: LogicalPlan, column: Attribute): Seq[Attribute] =
    source.output.filter(a => SQLConf.get.resolver(a.name, column.name))

  private def cast(value: Attribute, column: Attribute): Expression =
    if (value.dataType == column.dataType) value
    else // as the value is assigned: one that does not fit is an error with any ANSI setting
      Cast(value, column.dataType, Some(SQLConf.get.sessionLocalTimeZone), EvalMode.ANSI)
}
