package hudilite.format

import java.util.TimeZone
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeUnit.{MICROSECONDS, MILLISECONDS}

import org.joda.time.format.{
  DateTimeFormat,
  DateTimeFormatter,
  DateTimeFormatterBuilder,
  DateTimePrinter
}
import org.joda.time.{DateTime, DateTimeZone}

import hudilite.error.HudiliteException

/** Folder of a partition column under a timestamp-based key generator: the value is a time, and the
  * folder is its date in some format. Formats and zones are those of Joda-Time, which stock Hudi uses
  * and Spark brings along.
  * @param unit         unit of numbers since 1970; None if the values are texts
  * @param inputs       formats of texts as they are stored, of which the first that fits counts
  * @param inputZone    zone of texts without an offset; None: texts have one, or no zone matters
  * @param outputZone   zone of the date; None: the zone or offset of the text
  * @param output       format of the date
  * @param isTimestampOfMillis whether the generator takes a TIMESTAMP for a time rather than for a
  *                     number of microseconds
  * Source: Hudi 1.2, TimestampBasedAvroKeyGenerator, HoodieDateTimeParser. */
final case class DateFolder(
    unit: Option[TimeUnit],
    inputs: Seq[String],
    inputZone: Option[String],
    outputZone: Option[String],
    output: String,
    isTimestampOfMillis: Boolean
) {
  import DateFolder._

  @transient private lazy val toZone: Option[DateTimeZone] = outputZone.map(zoneOf)

  @transient private lazy val printer: DateTimeFormatter = DateTimeFormat.forPattern(output)

  @transient private lazy val parser: DateTimeFormatter = {
    val parsers = inputs.map(format => DateTimeFormat.forPattern(format.trim).getParser)
    val anyOf = new DateTimeFormatterBuilder().append(noPrinter, parsers.toArray).toFormatter
    inputZone.fold(anyOf.withOffsetParsed)(zone => anyOf.withZone(zoneOf(zone)))
  }

  /** Number of folders that a date is, if its special characters are not escaped. */
  def depth: Int = output.count(_ == '/') + 1

  /** Returns the date of a null value: the generator takes the first unit of time after 1970. */
  lazy val ofNull: String = unit match {
    case Some(_) => number(1L)
    case None =>
      val zone = inputZone.orElse(outputZone).fold(DateTimeZone.UTC)(zoneOf)
      text(new DateTime(1L, zone).toString(inputs.head))
  }

  /** Returns the date of a number.
    * @param column name of the column, for the message
    * Errors: HUDILITE_PARTITION_VALUE_INVALID if the values are texts. */
  def ofNumber(value: Long, column: String): String =
    if (unit.isEmpty) throw invalid(column, value.toString) else number(value)

  /** Returns the date of a TIMESTAMP.
    * @param micros microseconds since 1970 */
  def ofTimestamp(micros: Long, column: String): String =
    if (isTimestampOfMillis) print(MILLISECONDS.convert(micros, MICROSECONDS))
    else ofNumber(micros, column)

  /** Returns the date of a text.
    * Errors: HUDILITE_PARTITION_VALUE_INVALID if it has none of the formats, or if the values are
    * numbers. */
  def ofText(value: String, column: String): String =
    if (unit.nonEmpty) throw invalid(column, value)
    else
      try text(value)
      catch { case _: IllegalArgumentException => throw invalid(column, value) }

  private def number(value: Long): String =
    print(unit.fold(value)(MILLISECONDS.convert(value, _)))

  /** Without any zone the date is that of the text, with whatever offset. */
  private def text(value: String): String =
    if (inputZone.isEmpty && outputZone.isEmpty) parser.parseLocalDateTime(value).toString(printer)
    else {
      val time = parser.parseDateTime(value)
      toZone.fold(time)(time.withZone(_)).toString(printer)
    }

  private def print(millis: Long): String =
    new DateTime(millis, toZone.getOrElse(DateTimeZone.UTC)).toString(printer)
}

object DateFolder {

  private def noPrinter = Option.empty[DateTimePrinter].orNull

  /** Returns a zone by its id; like stock Hudi, UTC for an unknown one. */
  private def zoneOf(id: String): DateTimeZone =
    DateTimeZone.forTimeZone(TimeZone.getTimeZone(id))

  private def invalid(column: String, value: String): HudiliteException =
    HudiliteException("HUDILITE_PARTITION_VALUE_INVALID", "column" -> column, "value" -> value)
}
