package hudilite.spark.diff

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/** Comparison of two values as an expression. NULL equals NULL alone, NaN equals NaN, and 0.0 equals
  * -0.0, as in Spark's GROUP BY. Maps are equal if they have the same entries, in whichever order;
  * Spark itself compares no maps. */
private[diff] object ValueEquality {

  /** Whether values of a type can be compared. */
  def isComparable(of: DataType): Boolean = of match {
    case map: MapType => isComparable(map.keyType) && isComparable(map.valueType)
    case array: ArrayType => isComparable(array.elementType)
    case struct: StructType => struct.forall(field => isComparable(field.dataType))
    case other => RowOrdering.isOrderable(other)
  }

  /** Returns whether two values of one type differ; never null. */
  def differs(one: Expression, other: Expression): Expression =
    Not(EqualNullSafe(comparable(one), comparable(other)))

  /** Returns a value whose maps are lists of entries in the order of their keys. Spark's MapSort is no
    * help: its compiled form takes a NULL among the values of a primitive type for what lies under it. */
  private def comparable(value: Expression): Expression = value.dataType match {
    case plain if !hasMap(plain) => value
    case _: MapType => SortArray(comparable(MapEntries(value)), Literal.TrueLiteral)
    case array: ArrayType =>
      val element = NamedLambdaVariable("element", array.elementType, array.containsNull)
      ArrayTransform(value, LambdaFunction(comparable(element), Seq(element)))
    case struct: StructType =>
      val fields = struct.fields.zipWithIndex.toSeq.flatMap { case (field, i) =>
        Seq(Literal(field.name), comparable(GetStructField(value, i)))
      }
      val made = CreateNamedStruct(fields)
      If(IsNull(value), Literal(null, made.dataType), made)
    case other => throw new IllegalStateException(s"INTERNAL: ${other.sql} has no parts")
  }

  private def hasMap(of: DataType): Boolean = of match {
    case _: MapType => true
    case array: ArrayType => hasMap(array.elementType)
    case struct: StructType => struct.exists(field => hasMap(field.dataType))
    case _ => false
  }
}
