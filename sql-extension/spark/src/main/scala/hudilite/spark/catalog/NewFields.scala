package hudilite.spark.catalog

import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructField, StructType}

/** Fields of structs that a write adds to a column of its table: pure functions of types. */
object NewFields {

  /** Returns the type of a column with the fields that only the values of the rows have, after those
    * of their structs, also in elements of arrays and values of maps.
    * @param byName whether fields are matched by name; otherwise by position, where no field may
    *               have the name of another one */
  def grown(own: DataType, rows: DataType, byName: Boolean): DataType = (own, rows) match {
    case (of: StructType, value: StructType) =>
      val (pairs, fresh) =
        if (byName)
          (of.map(field => field -> value.find(isSame(_, field))),
            value.filterNot(field => of.exists(isSame(_, field))))
        else (of.zipWithIndex.map { case (field, at) => field -> value.lift(at) },
          value.drop(of.size))
      if (fresh.exists(field => of.exists(isSame(_, field)))) own
      else
        StructType(
          pairs.map { case (field, from) =>
            from.fold(field)(f => field.copy(dataType = grown(field.dataType, f.dataType, byName)))
          } ++ fresh.map(field => StructField(field.name, nullable(field.dataType)))
        )
    case (list: ArrayType, values: ArrayType) =>
      list.copy(elementType = grown(list.elementType, values.elementType, byName))
    case (map: MapType, values: MapType) =>
      map.copy(valueType = grown(map.valueType, values.valueType, byName))
    case _ => own
  }

  /** Returns the fields that a type has and an earlier form of it has not, with their paths as
    * ALTER TABLE ADD COLUMN takes them. */
  def between(path: String, from: DataType, to: DataType): Seq[(String, DataType)] =
    (from, to) match {
      case (old: StructType, of: StructType) =>
        of.toSeq.flatMap { field =>
          val name = s"$path.${quoteIfNeeded(field.name)}"
          old.find(_.name == field.name)
            .fold(Seq(name -> field.dataType))(was => between(name, was.dataType, field.dataType))
        }
      case (old: ArrayType, of: ArrayType) =>
        between(s"$path.element", old.elementType, of.elementType)
      case (old: MapType, of: MapType) => between(s"$path.value", old.valueType, of.valueType)
      case _ => Nil
    }

  /** Returns the type of a new column or field, nullable at every level, as rows of the table may
    * have null there. */
  def nullable(dataType: DataType): DataType = dataType match {
    case ArrayType(element, _) => ArrayType(nullable(element), containsNull = true)
    case MapType(key, value, _) => MapType(key, nullable(value), valueContainsNull = true)
    case StructType(fields) =>
      StructType(fields.map(f => f.copy(dataType = nullable(f.dataType), nullable = true)))
    case other => other
  }

  private def isSame(a: StructField, b: StructField): Boolean = SQLConf.get.resolver(a.name, b.name)
}
