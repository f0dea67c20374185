package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.types.NumericType

/** Parts of the ON condition of a MERGE.
  *
  * @param pinned        for each target column that ON pins, the value to look up
  * @param compared      for each of these columns, the source side as ON writes it
  * @param samePartition equalities of the partition columns, if ON pins all of them
  * @param residual      conjuncts that pin no column */
private[analyze] final case class MergeCondition(
    target: HudiliteTarget,
    pinned: Map[ExprId, Expression],
    compared: Map[ExprId, Expression],
    samePartition: Option[Expression],
    residual: Option[Expression]
) {

  /** Key columns that ON does not pin. */
  def unpinnedKey: Seq[Attribute] = target.keyColumns.filterNot(c => pinned.contains(c.exprId))

  /** Whether ON consists of equalities of the key columns only. */
  def isKeyAlone: Boolean = residual.isEmpty &&
    pinned.keySet == target.keyColumns.map(_.exprId).toSet

  def sourceKey: Seq[Expression] = target.keyColumns.map(column => pinned(column.exprId))

  /** Values of all partition columns; None unless ON pins all of them: a statement that pins only
    * some looks into every partition. */
  def sourcePartition: Option[Seq[Expression]] =
    Option.when(target.partitionColumns.forall(column => pinned.contains(column.exprId))) {
      target.partitionColumns.map(column => pinned(column.exprId))
    }

  /** Values of the partition columns that ON pins. */
  def pinnedPartition: Seq[Expression] =
    target.partitionColumns.flatMap(column => pinned.get(column.exprId))

  /** Whether a source row matches at most one target row. */
  def findsOneRow: Boolean =
    unpinnedKey.isEmpty && (sourcePartition.nonEmpty || target.seeksEverywhere)

  /** Whether ON may hold for one of two source rows with equal values of the pinned columns, and not
    * for the other.
    * @param isOneValue whether a column has one value for all source rows
    * @param order      ordering fields, by which the greatest of such rows counts */
  def choosesSource(isOneValue: Attribute => Boolean, order: SourceOrder): Boolean = {
    val equal = AttributeSet(pinned.values.collect { case column: Attribute => column })
    residual.toSeq.flatMap(MergeCondition.conjuncts).exists { conjunct =>
      val pins = KeyEquality.of(target, conjunct)
        .exists(e => pinned.get(e.column).exists(_.semanticEquals(e.sought)))
      !pins && !order.holdsForGreatest(conjunct) && conjunct.references.exists { column =>
        !target.all.contains(column) && !equal.contains(column) && !isOneValue(column)
      }
    }
  }

  /** Whether `value` is what ON looks up in `column`, apart from casts that keep the value. */
  def isPinned(column: Attribute, value: Expression): Boolean =
    pinned.get(column.exprId).exists(MergeCondition.sameValue(_, value))

  /** Whether assigning `value` to `column` of a matched row keeps the row's value: it can only be
    * the value that ON compares with the column, in the column's type. */
  def isKept(column: Attribute, value: Expression): Boolean = isPinned(column, value) ||
    compared.get(column.exprId).exists { source =>
      val assigned = MergeCondition.beforeCast(value)
      MergeCondition.unwidened(source).exists(assigned.semanticEquals)
    }
}

private[analyze] object MergeCondition extends PredicateHelper {

  private def conjuncts(condition: Expression): Seq[Expression] =
    splitConjunctivePredicates(condition)

  /** @param condition resolved ON */
  def of(target: HudiliteTarget, condition: Expression): MergeCondition = {
    val none = MergeCondition(target, Map.empty, Map.empty, None, None)
    val found = splitConjunctivePredicates(condition).foldLeft(none) { (on, conjunct) =>
      KeyEquality.of(target, conjunct).filterNot(e => on.pinned.contains(e.column)) match {
        case Some(e) =>
          val isPartition = target.partitionColumns.exists(_.exprId == e.column)
          on.copy(
            pinned = on.pinned + (e.column -> e.sought),
            compared = on.compared + (e.column -> e.compared),
            samePartition = if (isPartition) and(on.samePartition, conjunct) else on.samePartition
          )
        case None => on.copy(residual = and(on.residual, conjunct))
      }
    }
    if (found.sourcePartition.nonEmpty) found
    else
      found.copy(
        samePartition = None,
        residual = found.samePartition.fold(found.residual)(and(found.residual, _))
      )
  }

  /** Whether two expressions over the source have the same value whenever neither fails. */
  def sameValue(left: Expression, right: Expression): Boolean =
    left.semanticEquals(right) || {
      val (bareLeft, bareRight) = (keepsValue(left), keepsValue(right))
      if (bareLeft.isEmpty && bareRight.isEmpty) sameCast(left, right)
      else sameValue(bareLeft.getOrElse(left), bareRight.getOrElse(right))
    }

  private def and(before: Option[Expression], conjunct: Expression): Option[Expression] =
    Some(before.fold(conjunct)(And(_, conjunct)))

  private def sameCast(left: Expression, right: Expression): Boolean = (left, right) match {
    case (l: Cast, r: Cast) => l.dataType == r.dataType && sameValue(l.child, r.child)
    case _ => false
  }

  /** Value inside the cast to the column's type. */
  private def beforeCast(value: Expression): Expression = value match {
    case AssertNotNull(child, _) => beforeCast(child)
    case check: CheckOverflowInTableInsert => beforeCast(check.child)
    case cast: Cast => cast.child
    case other => other
  }

  /** Source side of an equality, with and without Spark's casts to wider numbers. */
  private def unwidened(source: Expression): List[Expression] = source match {
    case Cast(child, to: NumericType, _, _)
        if child.dataType.isInstanceOf[NumericType] && Cast.canUpCast(child.dataType, to) =>
      source :: unwidened(child)
    case _ => List(source)
  }

  private def keepsValue(expression: Expression): Option[Expression] = expression match {
    case AssertNotNull(child, _) => Some(child)
    case check: CheckOverflowInTableInsert => Some(check.child)
    case cast: Cast if Cast.canUpCast(cast.child.dataType, cast.dataType) && exact(cast) =>
      Some(cast.child)
    case _ => None
  }

  /** Whether an up-cast keeps the value: one from a number to a string, or from a date to a
    * timestamp, makes another value. */
  private def exact(cast: Cast): Boolean = {
    cast.child.dataType == cast.dataType ||
    KeyEquality.isWhole(cast.child.dataType) && KeyEquality.isWhole(cast.dataType)
  }
}
