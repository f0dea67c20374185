package hudilite.spark.plan

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, GetStructField}
import org.apache.spark.sql.types.StructType

/** Columns and fields of structs, such as `place.city`, which stock Hudi takes as key columns. */
object NestedField {

  /** Returns the name of the column that contains a field. */
  def column(name: String): String = name.takeWhile(_ != '.')

  /** Returns the value of a column, or of a field of a struct in it; None if there is no such field.
    * @param column value of the column with a name, None if there is no such column */
  def of(name: String)(column: String => Option[Expression]): Option[Expression] =
    column(name).orElse {
      val parts = name.split('.').toSeq
      parts.tail.foldLeft(column(parts.head)) { (struct, field) =>
        struct.flatMap(fieldOf(_, field))
      }
    }

  /** Returns the value of the column with a name in a row of these columns. */
  def bound(columns: StructType)(name: String): Option[Expression] =
    indexOf(columns, name).map(at => BoundReference(at, columns(at).dataType, nullable = true))

  private def indexOf(columns: StructType, name: String): Option[Int] =
    Option(columns.fieldNames.indexOf(name)).filter(_ >= 0)

  private def fieldOf(struct: Expression, field: String): Option[Expression] =
    struct.dataType match {
      case of: StructType =>
        indexOf(of, field).map(at => GetStructField(struct, at, Some(field)))
      case _ => None
    }
}
