package hudilite.spark.plan

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import hudilite.format.TableConfig

/** Table property with the columns for which new base files have a bloom filter of Parquet's in each row
  * group. By it, Spark's reader skips row groups that do not contain a value which a query looks for. */
object BloomColumns {
  val name: String = TableConfig.Key.bloomColumns

  /** Returns the text of the fix for a value that names no columns; None for another one. */
  def whyNot(value: String): Option[String] =
    Option.when(names(value).isEmpty)(
      "Write names of columns with commas between them, or remove it."
    )

  /** Returns the text of the fix for columns that a table does not have, or whose type has no bloom
    * filters; None if there are none. */
  def mismatch(value: String, schema: StructType): Option[String] =
    names(value).flatMap(column => whyNot(column, schema)).headOption

  /** Whether a value names a column.
    * @param value of the property; None if the table does not have it */
  def has(value: Option[String], column: String): Boolean =
    value.toSeq.flatMap(names).exists(SQLConf.get.resolver(_, column))

  /** Returns the names of those columns that get a filter. Another writer may have changed the type of a
    * column since the property was set.
    * @param names names in the property; their case does not matter */
  def of(names: Seq[String], schema: StructType): Seq[String] =
    schema.filter(field => names.exists(_.equalsIgnoreCase(field.name)) && whyNot(field).isEmpty)
      .map(_.name)

  private def names(value: String): Seq[String] =
    value.split(',').toSeq.map(_.trim).filter(_.nonEmpty)

  private def whyNot(column: String, schema: StructType): Option[String] =
    schema.find(field => SQLConf.get.resolver(field.name, column)) match {
      case Some(field) => whyNot(field)
      case None =>
        Some(s"The table has no column $column. Its columns are " +
          s"${schema.fieldNames.mkString(", ")}.")
    }

  private def whyNot(field: StructField): Option[String] =
    if (field.name.contains('.'))
      Some(s"A column with a dot in its name, as ${field.name} has, has no filter. Remove it.")
    else
      Option.when(!isHashed(field.dataType))(
        s"A column of type ${field.dataType.sql}, as ${field.name} is, has no bloom filter. " +
          "Write columns of whole numbers, decimals, dates, timestamps, strings or binaries."
      )

  /** Whether equal values have equal bytes, and Spark looks them up by these. Of floating-point numbers,
    * 0.0 and -0.0 are equal. */
  private def isHashed(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | DateType => true
    case TimestampType | TimestampNTZType | BinaryType | StringType => true
    case _: DecimalType | _: CharType | _: VarcharType => true
    case _ => false
  }
}
