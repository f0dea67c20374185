package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** An equality of ON that pins a key or partition column of the target.
  *
  * @param sought   the value to look for, in the column's type; null where none can be equal
  * @param compared the source's side as it stands in ON */
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

  /** The column that Spark has widened to a type which holds both sides. */
  private def widened(side: Expression): Option[AttributeReference] = side match {
    case column: AttributeReference => Some(column)
    case Cast(child, wider, _, _) if keepsApart(child.dataType, wider) => widened(child)
    case _ => None
  }

  /** The one value of the column whose widened value is the source's; null where there is none, as
    * for a number that does not fit. */
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

  /** Whether a cast gives different values different results. */
  private def keepsApart(from: DataType, to: DataType): Boolean = (from, to) match {
    case (a, b) if isWhole(a) && isWhole(b) => true
    case (_: DecimalType | ByteType | ShortType | IntegerType | LongType, _: DecimalType) =>
      Cast.canUpCast(from, to)
    case (ByteType | ShortType | IntegerType, DoubleType) => true
    case (DateType, TimestampType | TimestampNTZType) => true
    case _ => false
  }
}
