package hudilite.spark.catalog

import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StringType, TimestampType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.commit.AsOf
import hudilite.format.TableConfig
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.read.{HudiliteScanBuilder, PeerOptions}
import hudilite.timeline.Instant

/** Earlier state of a table that a statement requests, before the table is known.
  * Sources: Spark's VERSION AS OF and TIMESTAMP AS OF and the options of the same names; Hudi's
  * `as.of.instant`; Iceberg's `as-of-timestamp` and `snapshot-id`. */
sealed trait TimeTravel {

  /** Converts the request for one table.
    * @param table  name for messages
    * @param config facts of the table
    * Errors: HUDILITE_VERSION_NOT_FOUND for a text or time that is no version of any table. */
  def apply(table: String, config: TableConfig): AsOf
}

object TimeTravel {

  /** State of the table when a commit got its number.
    * @param text number or instant of the commit */
  final case class Version(text: String) extends TimeTravel {
    override def apply(table: String, config: TableConfig): AsOf =
      if (Instant.isTime(text)) AsOf.Version(text)
      else if (text.matches(number)) AsOf.Number(text.toLong)
      else
        throw notFound(table, text,
          "a version is a commit number or an instant of 14 or 17 digits", others)
  }

  /** State of the table at a point in time.
    * @param micros microseconds since 1970-01-01 UTC */
  final case class Timestamp(micros: Long) extends TimeTravel {
    override def apply(table: String, config: TableConfig): AsOf = {
      val text = Cast(Literal(micros, TimestampType), StringType, zone).eval().toString
      // The clock has milliseconds, Spark's timestamps microseconds: hence one millisecond more.
      if (micros >= (System.currentTimeMillis() + 1) * microsOfMilli)
        throw notFound(table, text, "it is in the future", "Write a time in the past.")
      AsOf.moment(micros, config.timelineZone, text)
    }
  }

  /** State of the table by Hudi's option `as.of.instant`: the last one whose commits all began at
    * or before that instant, in the zone of the timeline.
    * @param text 14 or 17 digits, or a date with or without a time of day */
  final case class Until(text: String) extends TimeTravel {
    override def apply(table: String, config: TableConfig): AsOf = {
      val digits = text.filter(_.isDigit)
      val until = text match {
        case _ if Instant.isTime(text) => Some(text)
        case date() | second() | milli() => Some(digits)
        case _ => None
      }
      until.fold(throw notFound(table, text, "it is not an instant",
        "Write yyyyMMddHHmmssSSS, yyyy-MM-dd HH:mm:ss.SSS, or fewer digits.")
      )(t => AsOf.Until(t.padTo(instantDigits, '0'), text))
    }
  }

  /** Returns the request of a text after VERSION AS OF, which may be that of [[untilInstant]]. */
  def ofVersion(text: String): TimeTravel =
    if (text.startsWith(instantMark)) Until(text.stripPrefix(instantMark)) else Version(text)

  /** Returns a version text for the last state until an instant: Spark passes TIMESTAMP AS OF to a
    * catalog as microseconds only, which the digits of an instant are none of. */
  def untilInstant(instant: String): String = instantMark + instant

  /** Returns the earlier state that the options of a read request, if any.
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED when two options request one, HUDILITE_VERSION_NOT_FOUND
    * for a text that is no timestamp. */
  def of(options: CaseInsensitiveStringMap, table: String): Option[TimeTravel] = {
    val asked = HudiliteScanBuilder.travels.flatMap(key => Option(options.get(key)).map(key -> _))
    asked.lift(1).foreach { case (key, _) =>
      throw AnalysisErrors.of(
        "HUDILITE_PROPERTY_UNSUPPORTED",
        "key" -> s"$key together with ${asked.head._1}",
        "fix" -> "Use only one of the two options."
      )
    }
    asked.headOption.map {
      case ("versionAsOf" | PeerOptions.Travel.snapshot, text) => Version(text.trim)
      case ("timestampAsOf", text) if Instant.isTime(text) => Until(text)
      case ("timestampAsOf", text) => Timestamp(microsOf(text, table))
      case (PeerOptions.Travel.millis, text) => Timestamp(microsUntilNow(text.trim, table))
      case (_, text) => Until(text)
    }
  }

  private def microsOf(text: String, table: String): Long =
    Option(Cast(Literal(text), TimestampType, zone, EvalMode.TRY).eval())
      .collect { case micros: Long => micros }
      .getOrElse(throw notFound(table, text, "it is not a timestamp", "Write yyyy-MM-dd HH:mm:ss."))

  /** Returns a moment that Iceberg's option gives in milliseconds; one in the future is now. */
  private def microsUntilNow(text: String, table: String): Long =
    text.toLongOption.filter(_ >= 0)
      .map(_.min(System.currentTimeMillis()) * microsOfMilli)
      .getOrElse(throw notFound(table, text, "it is not a number of milliseconds",
        "Write milliseconds since 1970-01-01 UTC."))

  private def zone: Option[String] = Some(SQLConf.get.sessionLocalTimeZone)

  private def notFound(table: String, version: String, reason: String, fix: String) =
    AnalysisErrors.of(
      "HUDILITE_VERSION_NOT_FOUND",
      "table" -> table,
      "version" -> version,
      "reason" -> reason,
      "fix" -> fix
    )

  private val instantMark = "as.of.instant "
  private val number = "[0-9]{1,13}"
  private val others = "CALL show_timeline(table => '...') lists the instants of the table."
  private val microsOfMilli = 1000L
  private val instantDigits = 17
  private val date = """\d{4}-\d\d-\d\d""".r
  private val second = """\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d""".r
  private val milli = """\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.]\d{3}""".r
}
