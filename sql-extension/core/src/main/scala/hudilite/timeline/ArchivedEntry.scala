package hudilite.timeline

import java.time.ZoneId

import scala.jdk.CollectionConverters._

import org.apache.avro.generic.GenericRecord
import org.apache.avro.{JsonProperties, Schema}

import hudilite.io.FileEntry

/** Record of one state of an archived instant in table version 6: Hudi's HoodieArchivedMetaEntry.
  * The content of Avro files keeps the schema that its writer gave it.
  * Source: hudi-format §3.13. */
private[timeline] object ArchivedEntry {
  private val time = "commitTime"
  private val action = "actionType"
  private val state = "actionState"
  private val transition = "stateTransitionTime"

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
        transition -> InstantTime.at(file.modifiedMillis, zone)
      ) ++ named: _*
    )
  }

  /** Returns the state that an entry is about; None for an entry that does not say it. */
  def keyOf(record: GenericRecord): Option[Key] = {
    def text(field: String) =
      if (record.hasField(field)) Option(record.get(field)).map(_.toString) else None
    for (t <- text(time); a <- text(action); s <- text(state)) yield (t, a, s)
  }

  /** Returns the instant of an entry about a completed write; None for another one. */
  def write(record: GenericRecord): Option[String] = keyOf(record).collect {
    case (at, of, "COMPLETED") if Instant.writes(of) => at
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
    case (Instant.commit | Instant.deltaCommit, _) => Some("hoodieCommitMetadata")
    case ("compaction" | "logcompaction", Instant.Requested) => Some("hoodieCompactionPlan")
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
    if (isCommit || instant.action == Instant.commit || instant.action == Instant.deltaCommit) {
      val replaces =
        instant.action == Instant.replaceCommit && instant.state == Instant.Completed
      val known = if (replaces) CommitSchema.replaceCommit else CommitSchema.commit
      Some(JsonAvro.record(Json.parse(bytes, path), known))
    } else files.codec.decode(bytes, path).headOption.filter(!isBarePlan(_))
  }

  /** Whether a record is that of a requested replacecommit without a clustering, which contains
    * nothing. hudilite's own has unions of null alone. */
  private def isBarePlan(record: GenericRecord): Boolean =
    record.hasField("clusteringPlan") && Option(record.get("clusteringPlan")).isEmpty

  /** Returns Hudi's schema with the content of one state. All other contents are null; the
    * fields of their records do not matter. Stock Hudi reads with this schema: it asks for a field by
    * its name, for the times as Java's strings, and for the contents as records. */
  private def schema(body: Option[(String, Schema)]): Schema = {
    val fields = names.map { name =>
      if (texts(name)) field(name, nullOr(text))
      else if (name == "version") new Schema.Field(name, numberOrNull, noDoc, 1)
      else field(name, nullOr(body.filter(_._1 == name).fold(unused(name))(_._2)))
    }
    Schema.createRecord(
      "HoodieArchivedMetaEntry",
      noDoc,
      "org.apache.hudi.avro.model",
      false,
      fields.asJava
    )
  }

  private def ofNull = Schema.create(Schema.Type.NULL)
  private def nullOr(of: Schema) = Schema.createUnion(ofNull, of)
  private def numberOrNull = Schema.createUnion(Schema.create(Schema.Type.INT), ofNull)
  private def field(name: String, of: Schema) =
    new Schema.Field(name, of, noDoc, JsonProperties.NULL_VALUE)
  private def noDoc: String = None.orNull
  private def text: Schema = new Schema.Parser().parse(CommitSchema.text)

  private val texts = Set(time, action, state, transition)

  /** Returns the type of a content that is null. */
  private def unused(name: String): Schema = contents(name) match {
    case "HoodieCommitMetadata" => CommitSchema.commit
    case record => AvroFile.schema(record).endRecord
  }

  /** Records of the contents, by field. */
  private val contents = Map(
    "hoodieCommitMetadata" -> "HoodieCommitMetadata",
    "hoodieCleanMetadata" -> "HoodieCleanMetadata",
    "hoodieCompactionMetadata" -> "HoodieCompactionMetadata",
    "hoodieRollbackMetadata" -> "HoodieRollbackMetadata",
    "hoodieSavePointMetadata" -> "HoodieSavepointMetadata",
    "hoodieCompactionPlan" -> "HoodieCompactionPlan",
    "hoodieCleanerPlan" -> "HoodieCleanerPlan",
    "hoodieReplaceCommitMetadata" -> "HoodieReplaceCommitMetadata",
    "hoodieRequestedReplaceMetadata" -> "HoodieRequestedReplaceMetadata",
    "HoodieInflightReplaceMetadata" -> "HoodieCommitMetadata",
    "hoodieIndexCommitMetadata" -> "HoodieIndexCommitMetadata"
  )

  /** Fields of Hudi's schema, in its order. */
  private val names = Seq(
    "hoodieCommitMetadata",
    "hoodieCleanMetadata",
    "hoodieCompactionMetadata",
    "hoodieRollbackMetadata",
    "hoodieSavePointMetadata",
    time,
    action,
    "version",
    "hoodieCompactionPlan",
    "hoodieCleanerPlan",
    state,
    "hoodieReplaceCommitMetadata",
    "hoodieRequestedReplaceMetadata",
    "HoodieInflightReplaceMetadata",
    "hoodieIndexCommitMetadata",
    transition
  )
}
