package hudilite.commit

import java.time.ZoneId
import java.util.concurrent.TimeUnit.MICROSECONDS

import hudilite.timeline.InstantTime

/** Earlier state of a table that a reader requests by time travel.
  * Source: design D10. */
sealed trait AsOf {

  /** Returns the request as the reader wrote it, for messages and plans. */
  def text: String
}

object AsOf {

  /** State of the table when a commit got its number.
    * @param instant instant of the commit, 14 or 17 digits */
  final case class Version(instant: String) extends AsOf {
    override def text: String = instant
  }

  /** State of the table that a number created.
    * @param number commit number; there is none below 1 */
  final case class Number(number: Long) extends AsOf {
    override def text: String = number.toString
  }

  /** Last state in which every commit began at or before a moment.
    * @param until the moment as an instant, in the zone of the table's timeline
    * @param text  the request as the reader wrote it */
  final case class Until(until: String, text: String) extends AsOf

  /** Last state in which every commit began at or before a moment that the clock of the timeline's
    * zone shows twice, as when clocks are set back. Instants alone do not show what came before
    * such a moment.
    * @param millis milliseconds since 1970
    * @param zone   zone of the table's timeline
    * @param text   the request as the reader wrote it */
  final case class Repeated(millis: Long, zone: ZoneId, text: String) extends AsOf

  /** Returns the request for the last state in which every commit began at or before a moment.
    * @param micros microseconds since 1970
    * @param zone   zone of the table's timeline
    * @param text   the request as the reader wrote it */
  def moment(micros: Long, zone: ZoneId, text: String): AsOf = {
    val millis = MICROSECONDS.toMillis(micros)
    val instant = InstantTime.at(millis, zone)
    if (InstantTime.moments(instant, zone).size > 1) Repeated(millis, zone, text)
    else Until(instant, text)
  }
}
