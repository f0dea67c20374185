package hudilite.format

import hudilite.format.TableConfig.Key

/** Rule of a table for which of two rows with the same key stays. In table versions 8 and 9, a
  * property states it; before, the payload class does. Ordering fields alone decide nothing.
  * Source: table-versions §2.3. */
sealed trait MergeOrder

object MergeOrder {

  /** Rule that Hudi knows by name.
    * @param mode     value of hoodie.record.merge.mode
    * @param strategy value of hoodie.record.merge.strategy.id
    * @param payload  value of hoodie.compaction.payload.class */
  sealed abstract class Named(val mode: String, val strategy: String, className: String)
      extends MergeOrder {
    val payload: String = s"org.apache.hudi.common.model.$className"
  }

  /** The row with the greatest values of the ordering fields stays. */
  case object EventTime extends Named(
        "EVENT_TIME_ORDERING",
        "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5",
        "DefaultHoodieRecordPayload"
      )

  /** The row that is written last stays. */
  case object CommitTime extends Named(
        "COMMIT_TIME_ORDERING",
        "ce9acb64-bde0-424c-9b91-f6ebba25356d",
        "OverwriteWithLatestAvroPayload"
      )

  /** Code of the user, or a rule for single columns, decides.
    * @param fact  property that says so
    * @param value its value */
  final case class Other(fact: String, value: String) extends MergeOrder

  /** Column in which a true value deletes the row. Source: merge-on-read §4.5. */
  val isDeleted = "_hoodie_is_deleted"

  /** Column that tells what a row of a log file does, if a writer stores its changes: some rows are
    * deletions. Source: merge-on-read §4.5. */
  val operation = "_hoodie_operation"

  private val all = Seq(EventTime, CommitTime)

  private val payloads: Map[String, MergeOrder] =
    all.map(rule => simpleName(rule.payload) -> rule).toMap + ("EventTimeAvroPayload" -> EventTime)

  /** Returns the rule of a table with or without ordering fields that decide. */
  def byField(hasOrdering: Boolean): Named = if (hasOrdering) EventTime else CommitTime

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

  private def stated(mode: String): MergeOrder =
    all.find(_.mode.equalsIgnoreCase(mode)).getOrElse(Other(Key.mergeMode, mode))

  private def ofPayload(name: String): MergeOrder =
    payloads.getOrElse(simpleName(name), Other(Key.payloadClass, name))

  private def simpleName(className: String): String =
    className.drop(className.lastIndexOf('.') + 1)
}
