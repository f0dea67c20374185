package hudilite.timeline

import java.time.format.DateTimeFormatterBuilder
import java.time.format.ResolverStyle.STRICT
import java.time.temporal.ChronoField.MILLI_OF_SECOND
import java.time.{Instant => Moment, LocalDateTime, ZoneId}

import scala.jdk.CollectionConverters._
import scala.util.Try

/** Instant times: 17 digits, in milliseconds and in the zone of the table's timeline. A new one is
  * above every other instant of the table.
  * Source: table-versions 1.10. */
object InstantTime {
  private val millisDigits = 3
  private val format = new DateTimeFormatterBuilder()
    .appendPattern("uuuuMMddHHmmss")
    .appendValue(MILLI_OF_SECOND, millisDigits)
    .toFormatter
    .withResolverStyle(STRICT)

  /** Returns the time of a new instant.
    * @param nowMillis current time by the clock, milliseconds since 1970
    * @param zone      zone in which the timeline names its instants
    * @param last      highest instant of any action and state, if there is one
    * @return the instant of the current time, or the next one after `last` if the clock is behind
    *         it */
  def next(nowMillis: Long, zone: ZoneId, last: Option[String]): String = {
    val now = at(nowMillis, zone)
    last.filter(_ >= now).fold(now)(after)
  }

  /** Returns a moment as an instant time.
    * @param millis milliseconds since 1970, UTC
    * @param zone   zone in which the timeline names its instants */
  def at(millis: Long, zone: ZoneId): String =
    Moment.ofEpochMilli(millis).atZone(zone).toLocalDateTime.format(format)

  /** Returns the moments at which a clock shows an instant time: one; two if clocks were set back
    * over it; none if they were set forward over it, or if the digits are not a date.
    * @param zone zone in which the timeline names its instants
    * @return milliseconds since 1970, in order */
  def moments(instant: String, zone: ZoneId): Seq[Long] =
    parsed(instant.padTo(17, '0')).toSeq.flatMap { shown =>
      zone.getRules.getValidOffsets(shown).asScala.map(shown.toInstant(_).toEpochMilli).sorted
    }

  /** Returns the least 17 digits above an instant time; 14 digits sort below the same second with
    * milliseconds. */
  private def after(last: String): String =
    if (last.length == 14) last + "000"
    else
      parsed(last)
        .map(_.plusNanos(1000000L).format(format))
        .filter(next => next.length == 17 && next > last)
        .getOrElse(increment(last))

  private def parsed(digits: String): Option[LocalDateTime] =
    Try(LocalDateTime.parse(digits, format)).toOption

  /** Returns the next number with the same number of digits, for digits that are not a date. */
  private def increment(last: String): String = {
    val next = (BigInt(last) + 1).toString
    val zeros = "0" * (last.length - next.length)
    require(next.length <= last.length, s"INTERNAL: no instant can follow $last")
    zeros + next
  }
}
