package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, MergeAction, UpdateAction}
import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.plan._

/** Ordering field of the table within a statement: among source rows with one key the greatest
  * counts, and a source row with a smaller value than the target row changes nothing. Null is the
  * smallest.
  *
  * @param ofSource ordering value of a source row; None: rows are not ordered
  * @param ofTarget ordering column of the table; None: rows are not ordered */
private[analyze] final case class SourceOrder(
    ofSource: Option[Expression],
    ofTarget: Option[Attribute]
) {

  /** Returns a clause that does not fire for a source row older than the target row. */
  def guarded(clause: Clause): Clause = {
    val newer = for (source <- ofSource; column <- ofTarget)
      yield Or(IsNull(column), GreaterThanOrEqual(source, column))
    newer.fold(clause)(Clause.when(_, clause))
  }
}

private[analyze] object SourceOrder {

  /** No ordering. */
  val none: SourceOrder = SourceOrder(None, None)

  /** Order of a MERGE: the source column with the name of the ordering field.
    *
    * @param matched WHEN MATCHED clauses; the source needs the column only if one of them updates
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
          s"Add a column ${column.name} to the source."
        )
      else none
    }

  /** Order of source rows that have all columns of the table.
    * @param row columns of the source, in table order */
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
