package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.types.{ByteType, DataType, IntegerType, LongType, ShortType}

/** What ON says of a MERGE: for each target column that it pins, the source's value of it. */
private[analyze] final case class MergeCondition(
    target: HudiliteTarget,
    pinned: Map[ExprId, Expression],
    samePartition: Option[Expression]
) {
  def sourceKey: Seq[Expression] = target.keyColumns.map(column => pinned(column.exprId))

  /** All partition columns, or none: a statement that pins a few would have to list folders. */
  def sourcePartition: Option[Seq[Expression]] =
    Option.when(target.partitionColumns.forall(column => pinned.contains(column.exprId))) {
      target.partitionColumns.map(column => pinned(column.exprId))
    }

  /** Whether `value` is the pinned value of `column`, but for casts that keep it. */
  def isPinned(column: Attribute, value: Expression): Boolean =
    pinned.get(column.exprId).exists(MergeCondition.sameValue(_, value))
}

private[analyze] object MergeCondition extends PredicateHelper {

  private val form = "Write ON as target.key = source.key for every key column, joined by AND."

  /** @param condition resolved ON
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE for anything but equalities that cover the key. */
  def of(target: HudiliteTarget, condition: Expression): MergeCondition = {
    val conjuncts = splitConjunctivePredicates(condition)
    val pairs = conjuncts.map(equality(target, _))
    val pinned = pairs.toMap
    pairs.map(_._1).diff(pinned.keys.toSeq).headOption.foreach { twice =>
      val name = target.columns.find(_.exprId == twice).map(_.name).mkString
      throw refused(target, condition, s"It compares $name twice. $form")
    }
    missing(target.keyColumns, pinned).foreach { names =>
      throw refused(target, condition, s"It leaves out key column $names. $form")
    }
    val unpinned = missing(target.partitionColumns, pinned)
    if (unpinned.nonEmpty && target.partitionColumns.exists(c => pinned.contains(c.exprId)))
      throw refused(
        target,
        condition,
        s"It leaves out partition column ${unpinned.mkString}. Name all of them, or none."
      )
    val isPartition = target.partitionColumns.map(_.exprId).toSet
    val samePartition = conjuncts.zip(pairs).collect {
      case (conjunct, (column, _)) if isPartition(column) => conjunct
    }
    MergeCondition(target, pinned, samePartition.reduceOption(And))
  }

  /** Whether two expressions over the source have one value wherever neither fails. */
  def sameValue(left: Expression, right: Expression): Boolean =
    left.semanticEquals(right) || {
      val (bareLeft, bareRight) = (keepsValue(left), keepsValue(right))
      if (bareLeft.isEmpty && bareRight.isEmpty) sameCast(left, right)
      else sameValue(bareLeft.getOrElse(left), bareRight.getOrElse(right))
    }

  private def sameCast(left: Expression, right: Expression): Boolean = (left, right) match {
    case (l: Cast, r: Cast) => l.dataType == r.dataType && sameValue(l.child, r.child)
    case _ => false
  }

  private def keepsValue(expression: Expression): Option[Expression] = expression match {
    case AssertNotNull(child, _) => Some(child)
    case check: CheckOverflowInTableInsert => Some(check.child)
    case cast: Cast if Cast.canUpCast(cast.child.dataType, cast.dataType) && exact(cast) =>
      Some(cast.child)
    case _ => None
  }

  /** An up-cast from a number to a text, or from a date to a timestamp, makes another value. */
  private def exact(cast: Cast): Boolean = {
    cast.child.dataType == cast.dataType || isWhole(cast.child.dataType) && isWhole(cast.dataType)
  }

  private def equality(target: HudiliteTarget, conjunct: Expression): (ExprId, Expression) = {
    val sides = conjunct match {
      case EqualTo(left, right) => Seq(left -> right, right -> left)
      case EqualNullSafe(left, right) => Seq(left -> right, right -> left)
      case _ => Nil
    }
    sides.collectFirst(Function.unlift { case (column, value) =>
      pin(target, column, value)
    }).getOrElse {
      throw refused(target, conjunct, form)
    }
  }

  private def pin(
      target: HudiliteTarget,
      column: Expression,
      value: Expression
  ): Option[(ExprId, Expression)] = {
    def isSource = value.references.forall(a => !target.relation.outputSet.contains(a))
    def isPinnable(a: Attribute) = isSource &&
      (target.keyColumns ++ target.partitionColumns).exists(_.exprId == a.exprId)
    column match {
      case a: AttributeReference if isPinnable(a) && a.dataType == value.dataType =>
        Some(a.exprId -> value)
      // Spark widens the target to the source's integer type; a value that does not fit matches
      // nothing, as a null does.
      case Cast(a: AttributeReference, wider, zone, _)
          if isPinnable(a) && Seq(a.dataType, wider, value.dataType).forall(isWhole) =>
        Some(a.exprId -> Cast(value, a.dataType, zone, EvalMode.TRY))
      case _ => None
    }
  }

  private def isWhole(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }

  private def missing(columns: Seq[Attribute], pinned: Map[ExprId, Expression]): Option[String] =
    Option(columns.filterNot(c => pinned.contains(c.exprId)))
      .filter(_.nonEmpty)
      .map(_.map(_.name).mkString(", "))

  private def refused(target: HudiliteTarget, condition: Expression, fix: String) =
    target.unsupported(s"ON ${condition.sql}", fix)
}
