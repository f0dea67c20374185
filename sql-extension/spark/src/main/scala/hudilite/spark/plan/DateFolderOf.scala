package hudilite.spark.plan

import java.util.concurrent.TimeUnit.MICROSECONDS

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.DateFolder

/** Expression for the folder of a partition column whose folders are dates, never null.
  * @param child  value of the column
  * @param column name of the column, for messages
  */
case class DateFolderOf(child: Expression, rule: DateFolder, column: String)
    extends UnaryExpression {
  private lazy val texts = new DateFolderTexts(rule, column)

  override def dataType: DataType = StringType
  override def nullable: Boolean = false
  override def prettyName: String = "hudilite_date_folder"

  override def eval(input: InternalRow): Any =
    Option(child.eval(input): Any).fold(texts.ofNull)(folder)

  private def folder(value: Any): UTF8String = value match {
    case text: UTF8String => texts.ofText(text)
    case decimal: Decimal => texts.ofDecimal(decimal)
    case double: Double => texts.ofReal(double)
    case float: Float => texts.ofReal(float.toDouble)
    case micros: Long if child.dataType == TimestampType => texts.ofTimestamp(micros)
    case number: Number => texts.ofNumber(number.longValue)
    case other => throw new IllegalStateException(s"INTERNAL: $other is no value of a date")
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val value = child.genCode(ctx)
    val of = ctx.addReferenceObj("texts", texts)
    val method = child.dataType match {
      case _: StringType => "ofText"
      case _: DecimalType => "ofDecimal"
      case FloatType | DoubleType => "ofReal"
      case TimestampType => "ofTimestamp"
      case _ => "ofNumber"
    }
    ev.copy(
      code = code"""
        ${value.code}
        UTF8String ${ev.value} =
          ${value.isNull} ? $of.ofNull() : $of.$method(${value.value});""",
      isNull = FalseLiteral
    )
  }

  override protected def withNewChildInternal(newChild: Expression): DateFolderOf =
    copy(child = newChild)
}

object DateFolderOf {

  /** Returns why the folder of a column's values does not follow from the rule; None if it does. */
  def whyNot(rule: DateFolder, dataType: DataType): Option[String] = dataType match {
    case StringType => Option.when(rule.unit.nonEmpty)("its values must be numbers")
    case ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType | DateType |
        _: DecimalType =>
      Option.when(rule.unit.isEmpty)("its values must be texts")
    case TimestampType =>
      val isExact = rule.isTimestampOfMillis || rule.unit.contains(MICROSECONDS)
      Option.when(!isExact)("its values may be taken for times or for numbers of microseconds")
    case _ => Some("such values are no dates")
  }
}

/** Folders of the values of a partition column; generated code calls it.
  * @param column name of the column, for messages */
final class DateFolderTexts(rule: DateFolder, column: String) extends Serializable {
  def ofNull: UTF8String = UTF8String.fromString(rule.ofNull)
  def ofNumber(value: Long): UTF8String = UTF8String.fromString(rule.ofNumber(value, column))
  def ofReal(value: Double): UTF8String = ofNumber(value.toLong)
  def ofDecimal(value: Decimal): UTF8String = ofNumber(value.toJavaBigDecimal.longValue)
  def ofText(value: UTF8String): UTF8String =
    UTF8String.fromString(rule.ofText(value.toString, column))
  def ofTimestamp(micros: Long): UTF8String =
    UTF8String.fromString(rule.ofTimestamp(micros, column))
}
