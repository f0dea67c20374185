package hudilite.format

import java.util.Locale

import hudilite.format.TableConfig.Key

/** Rule of a table for which of two rows with the same key stays. In table versions 8 and 9, a
  * property states it; before, the payload class does. An ordering field alone decides nothing.
  * Source: table-versions §2.3. */
sealed trait MergeOrder

object MergeOrder {

  /** The row with the greatest value of the ordering field stays. */
  case object EventTime extends MergeOrder

  /** The row that is written last stays. */
  case object CommitTime extends MergeOrder

  /** Code of the user, or a rule for single columns, decides.
    * @param fact  property that says so
    * @param value its value */
  final case class Other(fact: String, value: String) extends MergeOrder

  private val payloads = Map(
    "DefaultHoodieRecordPayload" -> EventTime,
    "EventTimeAvroPayload" -> EventTime,
    "OverwriteWithLatestAvroPayload" -> CommitTime
  )

  /** Returns the rule of a table. */
  def of(config: TableConfig): MergeOrder =
    (partial(config) ++ properties(config)).headOption
      .orElse(config.text(Key.mergeMode).map(stated))
      .orElse(config.text(Key.payloadClass).map(ofPayload))
      .getOrElse(EventTime)

  private def partial(config: TableConfig): Option[Other] =
    config.text(Key.partialUpdateMode).filterNot(_.equalsIgnoreCase("NONE"))
      .map(Other(Key.partialUpdateMode, _))

  private def properties(config: TableConfig): Option[Other] =
    config.properties.toSeq.sorted.collectFirst {
      case (key, value) if key.startsWith(Key.mergeProperties) => Other(key, value)
    }

  private def stated(mode: String): MergeOrder = mode.toUpperCase(Locale.ROOT) match {
    case "EVENT_TIME_ORDERING" => EventTime
    case "COMMIT_TIME_ORDERING" => CommitTime
    case _ => Other(Key.mergeMode, mode)
  }

  private def ofPayload(name: String): MergeOrder =
    payloads.getOrElse(name.drop(name.lastIndexOf('.') + 1), Other(Key.payloadClass, name))
}
