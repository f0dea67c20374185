package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, MergeAction, UpdateAction}
import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.plan._

/** The ordering field of a table in a statement: of source rows with one key the greatest counts,
  * and a smaller one than the target's changes nothing. Null is the smallest.
  *
  * @param ofSource the source's value, where the table orders its rows
  * @param ofTarget the table's column */
private[analyze] final case class SourceOrder(
    ofSource: Option[Expression],
    ofTarget: Option[Attribute]
) {

  /** A clause that does not fire for a source row older than the target's. */
  def guarded(clause: Clause): Clause = {
    val newer = for (source <- ofSource; column <- ofTarget)
      yield Or(IsNull(column), GreaterThanOrEqual(source, column))
    newer.fold(clause)(Clause.when(_, clause))
  }
}

private[analyze] object SourceOrder {

  /** Rows that nothing orders. */
  val none: SourceOrder = SourceOrder(None, None)

  /** The order of a MERGE: the source's column of the same name.
    *
    * @param matched clauses; a source that only deletes need not have the column
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE for an UPDATE from a source without it. */
  def of(target: HudiliteTarget, source: LogicalPlan, matched: Seq[MergeAction]): SourceOrder =
    column(target).fold(none) { column =>
      val values = source.output.filter(a => SQLConf.get.resolver(a.name, column.name)).filter {
        a =>
          Cast.canANSIStoreAssign(a.dataType, column.dataType)
      }
      if (values.size == 1) SourceOrder(Some(cast(values.head, column)), Some(column))
      else if (matched.exists(_.isInstanceOf[UpdateAction]))
        throw target.unsupported(
          s"UPDATE from a source without the ordering field ${column.name}",
          s"Give the source a column ${column.name}."
        )
      else none
    }

  /** The order of rows that are whole rows of the table. */
  def of(target: HudiliteTarget, row: Seq[Attribute]): SourceOrder =
    column(target).fold(none) { column =>
      SourceOrder(Some(row(target.columns.indexWhere(_.exprId == column.exprId))), Some(column))
    }

  private def column(target: HudiliteTarget): Option[Attribute] =
    target.table.config.orderingField.flatMap(name => target.columns.find(_.name == name))

  private def cast(value: Attribute, column: Attribute): Expression =
    if (value.dataType == column.dataType) value
    else Cast(value, column.dataType, Some(SQLConf.get.sessionLocalTimeZone))
}
