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

  /** The same for a moment.
    * @param micros since 1970, UTC
    * @param zone   of the table's timeline */
  def moment(micros: Long, zone: ZoneId, text: String): AsOf =
    Until(InstantTime.at(MICROSECONDS.toMillis(micros), zone), text)
}
