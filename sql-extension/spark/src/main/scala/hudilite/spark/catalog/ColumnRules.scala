package hudilite.spark.catalog

import org.apache.spark.sql.types._

import hudilite.format.{AvroNames, MergeOrder, MetaFields}
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.KeyText

/** Checks which column names and types a table may have: those that Hudi's readers support. */
private[catalog] object ColumnRules {

  /** Errors: HUDILITE_INVALID_NAME, HUDILITE_UNSUPPORTED_TYPE. */
  def check(schema: StructType): Unit = {
    checkNames(schema.fieldNames.toSeq.filterNot(_ == MergeOrder.isDeleted))
    schema.foreach(field => checkType(field.name, field.dataType))
    schema.find(_.name == MergeOrder.isDeleted).filterNot(_.dataType == BooleanType).foreach {
      marker =>
        throw unsupported(marker.name, marker.dataType.sql,
          "Hudi deletes a row whose value in this column is true: use BOOLEAN.")
    }
  }

  /** Checks the columns of files that become a table, see [[check]]: a write deletes rows that are marked
    * as deleted, but nobody wrote these rows. */
  def checkOfFiles(schema: StructType): Unit = {
    check(schema)
    schema.find(_.name == MergeOrder.isDeleted).foreach { marker =>
      throw invalid(
        marker.name,
        "rows of the files that it marks as deleted would stay. Write the files without these rows and " +
          "without the column"
      )
    }
  }

  /** @return why a column of this type cannot be a key column, None if it can: each value must have
    *         exactly one text, and equal values must have equal texts */
  def whyNoKeyType(dataType: DataType): Option[String] = dataType match {
    case _: CharType | _: VarcharType =>
      Some(s"${dataType.sql} can change trailing spaces of a value; use STRING")
    case exact if KeyText.supports(exact) => None
    case _ =>
      Some(s"${dataType.sql} has no exact text; use STRING, an integer, DATE, TIMESTAMP or DECIMAL")
  }

  /** @return why a column of this type cannot be a partition column, None if it can: other readers
    *         parse its values from folder names */
  def whyNoPartitionType(dataType: DataType): Option[String] = dataType match {
    case TimestampType | TimestampNTZType =>
      Some("other readers cannot parse a timestamp from a folder name; add a DATE column")
    case BinaryType =>
      Some("other readers cannot parse binary values from a folder name; use STRING")
    case other => whyNoKeyType(other)
  }

  /** @return why a column of this type cannot be an ordering field, None if it can */
  def whyNoOrdering(dataType: DataType): Option[String] = dataType match {
    case ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType | DateType |
        TimestampType | TimestampNTZType | StringType | _: DecimalType =>
      None
    case other =>
      Some(s"Values of type ${other.sql} have no order. Choose a column of another type.")
  }

  private def checkNames(names: Seq[String]): Unit = {
    names.foreach { name =>
      if (
        name.toLowerCase(java.util.Locale.ROOT).startsWith("_hoodie_") || MetaFields.contains(name)
      )
        throw invalid(name, "names that begin with _hoodie_ are reserved for Hudi's meta columns")
      if (!AvroNames.isValid(name))
        throw invalid(
          name,
          "Hudi's readers accept only letters, digits and _, and no digit at the beginning"
        )
    }
    names.groupBy(_.toLowerCase(java.util.Locale.ROOT)).values.find(_.size > 1).foreach { same =>
      throw invalid(same.last, s"it differs from ${same.head} only in case")
    }
  }

  private def checkType(column: String, dataType: DataType): Unit = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType |
        BinaryType | DateType | TimestampType | TimestampNTZType =>
    case StringType | _: DecimalType | _: CharType | _: VarcharType =>
    case collated: StringType =>
      throw unsupported(column, collated.sql,
        "Remove COLLATE from the declaration, and use COLLATE in queries.")
    case ArrayType(element, _) => checkType(column, element)
    case MapType(StringType, value, _) => checkType(column, value)
    case struct: StructType =>
      if (struct.isEmpty)
        throw unsupported(column, "STRUCT without fields", "Parquet cannot store it. Keep a field.")
      checkNames(struct.fieldNames.toSeq)
      struct.foreach(field => checkType(s"$column.${field.name}", field.dataType))
    case MapType(key, _, _) =>
      throw unsupported(column, s"MAP with ${key.sql} keys", "Use STRING keys.")
    case other =>
      throw unsupported(column, other.sql,
        "Hudi does not have this type. Store the value as STRING or a number.")
  }

  private def invalid(name: String, reason: String) =
    AnalysisErrors.of("HUDILITE_INVALID_NAME", "name" -> name, "reason" -> reason)

  private def unsupported(column: String, dataType: String, fix: String) = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_TYPE",
    "column" -> column,
    "type" -> dataType,
    "fix" -> fix
  )
}
