package hudilite.timeline

import java.time.ZoneId

import org.apache.avro.Schema
import org.apache.avro.generic.GenericRecord

import hudilite.io.FileEntry

/** Record of one state of an archived instant in table version 6: Hudi's HoodieArchivedMetaEntry.
  * Its schema has only the fields that have a value; readers fill in the others. The content of
  * Avro files keeps the schema that its writer gave it.
  * Source: hudi-format §3.13. */
private[timeline] object ArchivedEntry {
  private val time = "commitTime"
  private val action = "actionType"
  private val state = "actionState"

  /** State of an instant, by which entries are equal. */
  type Key = (String, String, String)

  /** Returns the entry of a state.
    * @param file  its file as listed
    * @param bytes content of the file
    * @param zone  zone in which the timeline names its instants
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def record(
      files: TimelineFiles,
      instant: Instant,
      file: FileEntry,
      bytes: Array[Byte],
      zone: ZoneId
  ): GenericRecord = {
    val body = if (bytes.isEmpty) None else bodyOf(files, instant, bytes)
    val named = body.flatMap(record => fieldOf(instant).map(_ -> record))
    AvroFile.record(
      schema(named.map { case (field, record) => field -> record.getSchema }),
      Seq[(String, Any)](
        time -> instant.time,
        action -> instant.action,
        state -> nameOf(instant.state),
        "stateTransitionTime" -> InstantTime.at(file.modifiedMillis, zone)
      ) ++ named: _*
    )
  }

  /** Returns the state that an entry is about; None for an entry that does not say it. */
  def keyOf(record: GenericRecord): Option[Key] = {
    def text(field: String) =
      if (record.hasField(field)) Option(record.get(field)).map(_.toString) else None
    for (t <- text(time); a <- text(action); s <- text(state)) yield (t, a, s)
  }

  /** Returns the state by which the entry of an instant is found. */
  def keyOf(instant: Instant): Key = (instant.time, instant.action, nameOf(instant.state))

  private def nameOf(of: Instant.State): String = of match {
    case Instant.Requested => "REQUESTED"
    case Instant.Inflight => "INFLIGHT"
    case Instant.Completed => "COMPLETED"
  }

  /** Returns the field that contains the content of a state; None for one whose content is not
    * archived. */
  private def fieldOf(instant: Instant): Option[String] = (instant.action, instant.state) match {
    case (Instant.commit, _) => Some("hoodieCommitMetadata")
    case (Instant.replaceCommit, Instant.Completed) => Some("hoodieReplaceCommitMetadata")
    case (Instant.replaceCommit, Instant.Inflight) => Some("HoodieInflightReplaceMetadata")
    case (Instant.replaceCommit, Instant.Requested) => Some("hoodieRequestedReplaceMetadata")
    case (Cleans.action, Instant.Completed) => Some("hoodieCleanMetadata")
    case (Cleans.action, _) => Some("hoodieCleanerPlan")
    case ("rollback", Instant.Completed) => Some("hoodieRollbackMetadata")
    case _ => None
  }

  private def bodyOf(
      files: TimelineFiles,
      instant: Instant,
      bytes: Array[Byte]
  ): Option[GenericRecord] = {
    val path = files.path(instant)
    val isCommit = instant.isWrite && instant.state != Instant.Requested
    if (isCommit || instant.action == Instant.commit) {
      val replaces =
        instant.action == Instant.replaceCommit && instant.state == Instant.Completed
      val known = if (replaces) CommitSchema.replaceCommit else CommitSchema.commit
      Some(JsonAvro.record(Json.parse(bytes, path), known))
    } else files.codec.decode(bytes, path).headOption
  }

  private def schema(body: Option[(String, Schema)]): Schema = {
    val start = AvroFile.schema("HoodieArchivedMetaEntry")
    body.fold(start) { case (field, of) =>
      start.name(field).`type`.unionOf.nullType.and.`type`(of).endUnion.nullDefault
    }.optionalString(time).optionalString(action).optionalString(state)
      .optionalString("stateTransitionTime").endRecord
  }
}
