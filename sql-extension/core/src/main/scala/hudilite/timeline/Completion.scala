package hudilite.timeline

import java.time.ZoneId

import org.apache.avro.generic.GenericRecord

/** Time at which an action is completed. In table versions 8 and 9 it is part of the completed
  * file's name, and readers of stock Hudi follow the changes of a table by it.
  * Source: table-versions §1.7, §7.4. */
private[hudilite] object Completion {

  /** Returns a time of completion above the instant itself and all others of the timeline.
    * @param nowMillis current time by the clock, milliseconds since 1970
    * @param zone      zone in which the timeline names its instants
    * @param last      highest time of completion on the timeline
    * @return None if the layout has no times of completion */
  def next(
      layout: TimelineLayout,
      instant: String,
      nowMillis: Long,
      zone: ZoneId,
      last: Option[String]
  ): Option[String] =
    Option.when(layout.namesCompletion)(
      InstantTime.next(nowMillis, zone, (last ++ Some(instant)).maxOption)
    )

  /** Creates the completed file of an action that is no write. Has no effect if the action is
    * completed already. Lists the timeline if the layout has times of completion.
    * @return false if the action is completed already */
  def create(
      files: TimelineFiles,
      time: String,
      action: String,
      outcome: GenericRecord,
      nowMillis: Long,
      zone: ZoneId
  ): Boolean = {
    val known = Option.when(files.layout.namesCompletion)(Timeline.named(files))
    !known.exists(_.isCompleted(time, action)) && {
      val completion =
        next(files.layout, time, nowMillis, zone, known.flatMap(_.lastCompletion))
      files.layout.completed(time, action, completion)
        .exists(files.create(_, files.codec.encode(outcome)))
    }
  }
}
