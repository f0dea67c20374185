package hudilite.spark.bootstrap

import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructField, StructType}

/** Columns of source files, and their merge where files have different ones. Pure functions. */
object SourceColumns {

  /** Difference between two schemas that cannot be merged.
    * @param text names the column and its two forms, without a full stop */
  final case class Conflict(text: String)

  /** Returns the columns of a file without the partition columns, ignoring case.
    * @param ofFolders partition columns of the source's folders */
  def ofFiles(columns: StructType, ofFolders: StructType): StructType =
    StructType(columns.filterNot(c => ofFolders.exists(_.name.equalsIgnoreCase(c.name))))

  /** Returns the columns of both schemas, those of `first` first. A column is nullable if it is
    * missing or nullable in one of them. Columns whose types differ, or whose names differ only in
    * case, are a conflict. */
  def merged(first: StructType, second: StructType): Either[Conflict, StructType] =
    merged(first, second, "")

  private def merged(
      first: StructType,
      second: StructType,
      within: String
  ): Either[Conflict, StructType] = {
    val added = second.filterNot(f => first.fieldNames.contains(f.name))
    val twice = added.flatMap { field =>
      first.find(_.name.equalsIgnoreCase(field.name)).map(other => other.name -> field.name)
    }
    val both = first.map { field =>
      second.find(_.name == field.name)
        .fold[Either[Conflict, StructField]](Right(field.copy(nullable = true))) { other =>
          merged(field.dataType, other.dataType, s"$within${field.name}").map { of =>
            StructField(field.name, of, field.nullable || other.nullable)
          }
        }
    }
    val faults =
      twice.map { case (a, b) => Conflict(s"column $within$a is $within$b in the second") } ++
        both.flatMap(_.left.toOption)
    faults.headOption.toLeft(
      StructType(both.flatMap(_.toOption) ++ added.map(_.copy(nullable = true)))
    )
  }

  private def merged(
      first: DataType,
      second: DataType,
      column: String
  ): Either[Conflict, DataType] = (first, second) match {
    case (a: StructType, b: StructType) => merged(a, b, s"$column.")
    case (ArrayType(a, n), ArrayType(b, m)) => merged(a, b, column).map(ArrayType(_, n || m))
    case (MapType(k, a, n), MapType(l, b, m)) if k == l =>
      merged(a, b, column).map(MapType(k, _, n || m))
    case (a, b) if a == b => Right(a)
    case (a, b) =>
      Left(Conflict(s"column $column is ${a.sql} in the first, ${b.sql} in the second"))
  }
}
