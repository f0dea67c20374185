package hudilite.timeline

import scala.jdk.CollectionConverters._

import org.apache.avro.generic.GenericRecord
import org.apache.hadoop.fs.Path

/** Plan and outcome of a restore, as stock Hudi writes them.
  * Source: hudi-format §3.10 (HoodieRestorePlan, HoodieRestoreMetadata). */
private[hudilite] object RestoreRecords {
  private val planVersion = 2

  private val plan = AvroFile
    .schema("HoodieRestorePlan")
    .name("instantsToRollback").`type`.array.items(RollbackRecords.instantInfo)
    .arrayDefault(java.util.List.of())
    .name("version").`type`.unionOf.intType.and.nullType.endUnion.intDefault(planVersion)
    .optionalString("savepointToRestoreTimestamp")
    .endRecord

  private val metadata = AvroFile
    .schema("HoodieRestoreMetadata")
    .requiredString("startRestoreTime")
    .requiredLong("timeTakenInMillis")
    .name("instantsToRollback").`type`.array.items.stringType.noDefault
    .name("hoodieRestoreMetadata").`type`.map.values.array.items.unionOf.nullType.and.`type`(
      RollbackRecords.metadata
    ).endUnion.noDefault
    .name("version").`type`.unionOf.intType.and.nullType.endUnion.intDefault(1)
    .name("restoreInstantInfo").`type`.array.items(RollbackRecords.instantInfo)
    .arrayDefault(java.util.List.of())
    .endRecord

  /** Returns the record of a plan.
    * @param lost     instants to roll back, the latest first
    * @param restored instant of the state to restore */
  def plan(lost: Seq[Instant], restored: String): GenericRecord = AvroFile.record(
    plan,
    "instantsToRollback" -> lost.map(RollbackRecords.info).asJava,
    "savepointToRestoreTimestamp" -> restored
  )

  /** Returns the instants that a plan names, with their actions.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def planned(files: TimelineFiles, requested: Instant): Seq[Instant] = {
    val found = files.records(requested).headOption.getOrElse(
      throw Timeline.corrupt(files.path(requested), "it does not contain a plan")
    )
    def text(record: GenericRecord, field: String) = record.get(field).toString
    found.get("instantsToRollback") match {
      case items: java.util.Collection[_] => items.asScala.toSeq.collect { case i: GenericRecord =>
          Instant(text(i, "commitTime"), text(i, "action"), Instant.Completed)
        }
      case _ => Seq.empty
    }
  }

  /** Returns the record of an outcome.
    * @param time    instant of the restore
    * @param millis  duration of the restore
    * @param deleted deleted files of each instant, relative to the table */
  def outcome(
      basePath: Path,
      time: String,
      millis: Long,
      deleted: Seq[(Instant, Seq[String])]
  ): GenericRecord = AvroFile.record(
    metadata,
    "startRestoreTime" -> time,
    "timeTakenInMillis" -> millis,
    "instantsToRollback" -> deleted.map(_._1.time).asJava,
    "hoodieRestoreMetadata" -> deleted.map { case (lost, files) =>
      lost.time -> Seq(RollbackRecords.outcome(basePath, time, lost, 0, files)).asJava
    }.toMap.asJava,
    "restoreInstantInfo" -> deleted.map(of => RollbackRecords.info(of._1)).asJava
  )
}
