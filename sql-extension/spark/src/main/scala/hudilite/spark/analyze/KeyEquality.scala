package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** Equality in ON that pins a key or partition column of the target to a value of the source.
  *
  * @param sought   value to look up, in the column's type; null when no column value can be equal
  * @param compared source side of the equality as ON writes it */
private[analyze] final case class KeyEquality(
    column: ExprId,
    sought: Expression,
    compared: Expression
)

private[analyze] object KeyEquality {

  def of(target: HudiliteTarget, conjunct: Expression): Option[KeyEquality] = {
    val sides = conjunct match {
      case EqualTo(left, right) => Seq(left -> right, right -> left)
      case EqualNullSafe(left, right) => Seq(left -> right, right -> left)
      case _ => Nil
    }
    sides.collectFirst(Function.unlift { case (column, value) => pin(target, column, value) })
  }

  def isWhole(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }

  private def pin(
      target: HudiliteTarget,
      column: Expression,
      value: Expression
  ): Option[KeyEquality] = {
    def isPinnable(a: Attribute) = MergeExpressions.isPlain(target, value) &&
      !value.references.exists(target.all.contains) &&
      (target.keyColumns ++ target.partitionColumns).exists(_.exprId == a.exprId)
    widened(column).filter(isPinnable).filter(_ => column.dataType == value.dataType).map { found =>
      KeyEquality(found.exprId, narrowed(found, column, value), value)
    }
  }

  /** Returns the column inside the casts by which Spark widens it to compare both sides. */
  private def widened(side: Expression): Option[AttributeReference] = side match {
    case column: AttributeReference => Some(column)
    case Cast(child, wider, _, _) if keepsApart(child.dataType, wider) => widened(child)
    case _ => None
  }

  /** Value in the column's type that equals the source's value once widened; null if there is none,
    * for example for a number that does not fit. */
  private def narrowed(column: Attribute, side: Expression, value: Expression): Expression = {
    val zone = Some(SQLConf.get.sessionLocalTimeZone)
    val back = Cast(value, column.dataType, zone, EvalMode.TRY)
    if (side.isInstanceOf[Attribute]) value
    else if (isWhole(column.dataType) && isWhole(value.dataType)) back
    else {
      val again = side.transform { case a: Attribute if a.exprId == column.exprId => back }
      If(EqualTo(again, value), back, Literal(null, column.dataType))
    }
  }

  /** Whether a cast converts different values to different results. */
  private def keepsApart(from: DataType, to: DataType): Boolean = (from, to) match {
    case (a, b) if isWhole(a) && isWhole(b) => true
    case (_: DecimalType | ByteType | ShortType | IntegerType | LongType, _: DecimalType) =>
      Cast.canUpCast(from, to)
    case (ByteType | ShortType | IntegerType, DoubleType) => true
    case (DateType, TimestampType | TimestampNTZType) => true
    case _ => false
  }
}
