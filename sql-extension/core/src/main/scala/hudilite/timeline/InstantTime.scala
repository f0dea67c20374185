package hudilite.timeline

import java.time.format.DateTimeFormatterBuilder
import java.time.format.ResolverStyle.STRICT
import java.time.temporal.ChronoField.MILLI_OF_SECOND
import java.time.{Instant => Moment, LocalDateTime, ZoneId, ZoneOffset}

import scala.util.Try

/** Names of new instants: UTC, milliseconds, 17 digits, and above every other instant of the
  * table. */
object InstantTime {
  private val millisDigits = 3
  private val format = new DateTimeFormatterBuilder()
    .appendPattern("uuuuMMddHHmmss")
    .appendValue(MILLI_OF_SECOND, millisDigits)
    .toFormatter
    .withResolverStyle(STRICT)

  /** @param nowMillis clock, milliseconds since 1970
    * @param last      highest instant of any action and state, if there is one
    * @return the clock's instant, or one millisecond after `last` where the clock is behind it */
  def next(nowMillis: Long, last: Option[String]): String = {
    val now = text(nowMillis)
    last.filter(_ >= now).fold(now)(after)
  }

  private def text(millis: Long): String = at(millis, ZoneOffset.UTC)

  /** A moment as an instant.
    * @param millis since 1970, UTC
    * @param zone   in which a timeline names its instants */
  def at(millis: Long, zone: ZoneId): String =
    Moment.ofEpochMilli(millis).atZone(zone).toLocalDateTime.format(format)

  /** The least 17 digits above an instant; 14 digits sort below the same second with
    * milliseconds. */
  private def after(last: String): String =
    if (last.length == 14) last + "000"
    else
      Try(LocalDateTime.parse(last, format)).toOption
        .map(_.plusNanos(1000000L).format(format))
        .filter(next => next.length == 17 && next > last)
        .getOrElse(increment(last))

  /** For digits that are no date: the next number of as many digits. */
  private def increment(last: String): String = {
    val next = (BigInt(last) + 1).toString
    val zeros = "0" * (last.length - next.length)
    require(next.length <= last.length, s"INTERNAL: no instant can follow $last")
    zeros + next
  }
}
