package hudilite.timeline

import java.time.format.DateTimeFormatterBuilder
import java.time.format.ResolverStyle.STRICT
import java.time.temporal.ChronoField.MILLI_OF_SECOND
import java.time.{Instant => Moment, LocalDateTime, ZoneId}

import scala.jdk.CollectionConverters._
import scala.util.Try

/** Names of instants: milliseconds in the zone of the table's timeline, 17 digits. A new one lies
  * above every other instant of the table.
  * Source: table-versions 1.10. */
object InstantTime {
  private val millisDigits = 3
  private val format = new DateTimeFormatterBuilder()
    .appendPattern("uuuuMMddHHmmss")
    .appendValue(MILLI_OF_SECOND, millisDigits)
    .toFormatter
    .withResolverStyle(STRICT)

  /** Name of a new instant.
    * @param nowMillis clock, milliseconds since 1970
    * @param zone      in which the timeline names its instants
    * @param last      highest instant of any action and state, if there is one
    * @return the clock's instant, or one millisecond after `last` where the clock is behind it */
  def next(nowMillis: Long, zone: ZoneId, last: Option[String]): String = {
    val now = at(nowMillis, zone)
    last.filter(_ >= now).fold(now)(after)
  }

  /** A moment as an instant.
    * @param millis since 1970, UTC
    * @param zone   in which a timeline names its instants */
  def at(millis: Long, zone: ZoneId): String =
    Moment.ofEpochMilli(millis).atZone(zone).toLocalDateTime.format(format)

  /** Moments at which a clock shows an instant: one; two where the clock went back over it; none
    * where it leapt over it, or for digits that are no date.
    * @param zone in which the timeline names its instants
    * @return milliseconds since 1970, in order */
  def moments(instant: String, zone: ZoneId): Seq[Long] =
    parsed(instant.padTo(17, '0')).toSeq.flatMap { shown =>
      zone.getRules.getValidOffsets(shown).asScala.map(shown.toInstant(_).toEpochMilli).sorted
    }

  /** The least 17 digits above an instant; 14 digits sort below the same second with
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

  /** For digits that are no date: the next number of as many digits. */
  private def increment(last: String): String = {
    val next = (BigInt(last) + 1).toString
    val zeros = "0" * (last.length - next.length)
    require(next.length <= last.length, s"INTERNAL: no instant can follow $last")
    zeros + next
  }
}
