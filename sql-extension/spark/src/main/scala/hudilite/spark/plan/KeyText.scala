package hudilite.spark.plan

import java.time.LocalDate
import java.util.HexFormat

import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.{
  BitwiseAnd,
  Cast,
  Concat,
  Expression,
  Literal,
  MonotonicallyIncreasingID,
  SparkPartitionID
}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException
import hudilite.format.{MadeKey, TableConfig}

/** Catalyst expressions for the text of key, hash and partition column values, as Hudi stores it.
  *
  * The expressions run in tasks (all have generated code) and, over literals, on the driver.
  * A null value gives a null text, so a null key column gives a null record key.
  * Source: Hudi 1.2 key generators on the Row, Avro and SQL writers.
  */
object KeyText {

  /** Whether a column of this type may be a key, hash or partition column: its text is exact and
    * one value has one text.
    */
  def supports(dataType: DataType): Boolean = dataType match {
    case StringType | BooleanType | DateType | _: DecimalType => true
    case TimestampType | TimestampNTZType | BinaryType => true
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }

  /** Whether the texts of a type contain no comma or colon and are never a placeholder, so that
    * Hudi parses them unchanged from a record key.
    */
  def isPlain(dataType: DataType): Boolean = dataType match {
    case _: StringType => false
    case other => supports(other)
  }

  /** Expression for the text of one column value.
    * @param child a value of a type that [[supports]] accepts
    * @return a StringType expression, null for null
    * @throws hudilite.error.HudiliteException HUDILITE_UNSUPPORTED_TYPE for any other type
    */
  def expression(child: Expression): Expression = child.dataType match {
    case StringType => child
    case BooleanType | ByteType | ShortType | IntegerType | LongType => Cast(child, StringType)
    case TimestampType | TimestampNTZType => invoke("ofMicros", child)
    case BinaryType => invoke("ofBytes", child)
    case DateType => invoke("ofDate", child)
    case decimal: DecimalType => invoke("ofDecimal", child, Literal(decimal.scale))
    case other =>
      throw new HudiliteException(
        "HUDILITE_UNSUPPORTED_TYPE",
        Map(
          "column" -> child.sql,
          "type" -> other.sql,
          "fix" -> "Use a string, integer, date, timestamp, decimal or boolean column."
        )
      )
  }

  /** Expression for a record key `f:v,f2:v2`, as Hudi's complex key generator writes it.
    * An empty string is stored as a placeholder.
    * @param fields   key columns in key order
    * @param children their values, in the same order
    * @return a StringType expression, null when a value is null
    */
  def complexKey(fields: Seq[String], children: Seq[Expression]): Expression = {
    val parts = fields.zip(children).zipWithIndex.flatMap { case ((field, child), i) =>
      Seq(Literal(if (i == 0) s"$field:" else s",$field:"), placeheld(child))
    }
    Concat(parts)
  }

  /** Expression for the end of a record key in a table without key columns, see [[MadeKey]]. Each row
    * of a source has another one. */
  def made: Expression = {
    val separator = Literal(MadeKey.separator.toString)
    val rowBits = (1L << 33) - 1 // of Spark's number, which has the task's number above
    val row = BitwiseAnd(MonotonicallyIncreasingID(), Literal(rowBits))
    Concat(Seq(separator, Cast(SparkPartitionID(), StringType), separator, Cast(row, StringType)))
  }

  /** Expression that is true if the text of a key column stays the same in a row that is updated.
    * @param column name of the key column
    * Errors of its evaluation: HUDILITE_UNSUPPORTED_CLAUSE. */
  def isKept(old: Expression, updated: Expression, column: String, table: String): Expression =
    StaticInvoke(
      getClass,
      BooleanType,
      "checkKept",
      Seq(old, updated, text(column), text(table)),
      propagateNull = false,
      returnNullable = false
    )

  /** Returns true, or fails if the texts differ. */
  def checkKept(
      old: UTF8String,
      updated: UTF8String,
      column: UTF8String,
      table: UTF8String
  ): Boolean = {
    if (old != updated)
      throw HudiliteException(
        "HUDILITE_UNSUPPORTED_CLAUSE",
        "clause" -> s"UPDATE SET $column of the row $old",
        "table" -> table.toString,
        "fix" -> "A key cannot change. Delete the row and insert a new one."
      )
    true
  }

  /** Expression for the bucket number of a record key, null for a null key.
    * @param key        record key text
    * @param hashFields key columns that are hashed
    * @param numBuckets table property, 1 or more
    */
  def bucket(key: Expression, hashFields: Seq[String], numBuckets: Int): Expression =
    BucketOf(key, hashFields, numBuckets)

  /** Expression for the relative partition path of a row, never null.
    * @param config   properties of the table
    * @param children values of its partition columns in order; null and empty give Hudi's default
    *                 partition
    */
  def partitionPath(config: TableConfig, children: Seq[Expression]): Expression =
    partitionPath(config, config.partitionFields, children)

  /** Expression for the folders of some partition columns.
    * @param fields   partition columns in order; none gives the empty path
    * @param children their values
    */
  def partitionPath(
      config: TableConfig,
      fields: Seq[String],
      children: Seq[Expression]
  ): Expression =
    if (fields.isEmpty) Literal("")
    else {
      val texts = fields.zip(children).map { case (field, child) => folder(config, field, child) }
      val dates = fields.filter(config.dateFields.contains)
      PartitionPathOf(texts, fields, config.hiveStyle, config.urlEncode, dates)
    }

  /** Expression for the text of a partition column's folder, without the column's name: null for null,
    * or its date.
    * @param field partition column
    * @param child its value
    */
  def folder(config: TableConfig, field: String, child: Expression): Expression =
    config.dateFolder(field).fold(expression(child))(DateFolderOf(child, _, field))

  /** Returns a day as ISO text, as java.time.LocalDate prints it; outside years 0 to 9999 it has a
    * sign. */
  def ofDate(epochDay: Int): UTF8String = {
    val date = LocalDate.ofEpochDay(epochDay.toLong)
    val year = date.getYear
    if (year < 0 || year > 9999) UTF8String.fromString(date.toString)
    else {
      val text = new Array[Byte](10)
      digits(text, 0, 4, year)
      text(4) = '-'
      digits(text, 5, 2, date.getMonthValue)
      text(7) = '-'
      digits(text, 8, 2, date.getDayOfMonth)
      UTF8String.fromBytes(text)
    }
  }

  /** Returns a timestamp as its microseconds since 1970; the session time zone has no effect. */
  def ofMicros(micros: Long): UTF8String = UTF8String.fromString(micros.toString)

  /** Returns bytes as lower-case hex text, two digits for each byte. */
  def ofBytes(bytes: Array[Byte]): UTF8String =
    UTF8String.fromString(HexFormat.of().formatHex(bytes))

  /** Returns decimal text with all digits of the column's scale, as java.math.BigDecimal prints it.
    * Small values of a scale above 6 have an exponent (`1E-12`), as in Hudi's own files.
    */
  def ofDecimal(value: Decimal, scale: Int): UTF8String =
    UTF8String.fromString(value.toJavaBigDecimal.setScale(scale).toString)

  /** Replaces an empty value in a complex key by Hudi's placeholder. */
  def orPlaceholder(value: UTF8String): UTF8String =
    if (value.numBytes == 0) emptyPlaceholder else value

  private val emptyPlaceholder = UTF8String.fromString("__empty__")

  private def placeheld(child: Expression): Expression = child.dataType match {
    case _: StringType | BinaryType => invoke("orPlaceholder", expression(child))
    case _ => expression(child)
  }

  private def invoke(function: String, arguments: Expression*): Expression =
    StaticInvoke(getClass, StringType, function, arguments, returnNullable = false)

  private def text(constant: String): Expression =
    Literal(UTF8String.fromString(constant), StringType)

  private def digits(text: Array[Byte], from: Int, count: Int, value: Int): Unit = {
    var rest = value
    var i = from + count - 1
    while (i >= from) {
      text(i) = ('0' + rest % 10).toByte
      rest /= 10
      i -= 1
    }
  }
}
