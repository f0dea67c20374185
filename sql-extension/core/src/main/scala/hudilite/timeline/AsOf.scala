package hudilite.timeline

import java.time.ZoneId
import java.util.concurrent.TimeUnit.MICROSECONDS

/** Which earlier state of a table a reader asks for.
  * Source: design D10. */
sealed trait AsOf {

  /** As the reader wrote it, for messages and plans. */
  def text: String
}

object AsOf {

  /** The state when a commit got its number.
    * @param instant of the commit, 14 or 17 digits */
  final case class Version(instant: String) extends AsOf {
    override def text: String = instant
  }

  /** The last state of which every commit began at or before a moment.
    * @param until the moment as an instant, in the zone of the table's timeline
    * @param text  as the reader wrote it */
  final case class Until(until: String, text: String) extends AsOf

  /** The last state of which every commit began at or before a moment that the clock of the timeline's
    * zone shows twice, as in the night in which it is put back: instants alone do not tell then what
    * came before.
    * @param millis since 1970
    * @param zone   of the table's timeline
    * @param text   as the reader wrote it */
  final case class Repeated(millis: Long, zone: ZoneId, text: String) extends AsOf

  /** The last state of which every commit began at or before a moment.
    * @param micros since 1970
    * @param zone   of the table's timeline
    * @param text   as the reader wrote it */
  def moment(micros: Long, zone: ZoneId, text: String): AsOf = {
    val millis = MICROSECONDS.toMillis(micros)
    val instant = InstantTime.at(millis, zone)
    if (InstantTime.moments(instant, zone).size > 1) Repeated(millis, zone, text)
    else Until(instant, text)
  }
}
