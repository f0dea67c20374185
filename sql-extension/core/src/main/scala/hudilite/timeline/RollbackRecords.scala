package hudilite.timeline

import scala.jdk.CollectionConverters._

import org.apache.avro.generic.GenericRecord
import org.apache.hadoop.fs.Path

import hudilite.format.BaseFileName
import hudilite.io.Storage

/** Plan and outcome of a rollback, as stock Hudi writes them.
  * Source: hudi-format §3.10 (HoodieRollbackPlan, HoodieRollbackMetadata). */
private[hudilite] object RollbackRecords {
  private[timeline] val instantInfo =
    AvroFile.schema("HoodieInstantInfo").requiredString("commitTime").requiredString(
      "action"
    ).endRecord

  private val request = AvroFile.schema("HoodieRollbackRequest")
    .requiredString("partitionPath")
    .optionalString("fileId")
    .optionalString("latestBaseInstant")
    .name("filesToBeDeleted").`type`.array.items.stringType.noDefault
    .name(
      "logBlocksToBeDeleted"
    ).`type`.unionOf.nullType.and.map.values.longType.endUnion.nullDefault
    .endRecord

  private val plan = AvroFile.schema("HoodieRollbackPlan")
    .name("instantToRollback").`type`.unionOf.nullType.and.`type`(instantInfo).endUnion.nullDefault
    .name("RollbackRequests").`type`.unionOf.nullType.and.array.items(request).endUnion.nullDefault
    .name("version").`type`.unionOf.intType.and.nullType.endUnion.intDefault(1)
    .endRecord

  private val ofPartition = AvroFile.schema("HoodieRollbackPartitionMetadata")
    .requiredString("partitionPath")
    .name("successDeleteFiles").`type`.array.items.stringType.noDefault
    .name("failedDeleteFiles").`type`.array.items.stringType.noDefault
    .name("rollbackLogFiles").`type`.unionOf.nullType.and.map.values.longType.endUnion.nullDefault
    .name("logFilesFromFailedCommit").`type`.unionOf.nullType.and.map.values.longType.endUnion
    .nullDefault
    .endRecord

  private[timeline] val metadata = AvroFile.schema("HoodieRollbackMetadata")
    .requiredString("startRollbackTime")
    .requiredLong("timeTakenInMillis")
    .requiredInt("totalFilesDeleted")
    .name("commitsRollback").`type`.array.items.stringType.noDefault
    .name("partitionMetadata").`type`.map.values(ofPartition).noDefault
    .name("version").`type`.unionOf.intType.and.nullType.endUnion.intDefault(1)
    .name("instantsRollback").`type`.array.items(instantInfo).noDefault
    .endRecord

  /** Returns the record of a plan.
    * @param lost  the instant to roll back
    * @param files its base and log files, relative to the table */
  def plan(basePath: Path, lost: Instant, files: Seq[String]): GenericRecord =
    AvroFile.record(
      plan,
      "instantToRollback" -> info(lost),
      "RollbackRequests" -> byPartition(files).map { case (partition, inIt) =>
        AvroFile.record(
          request,
          "partitionPath" -> partition,
          "fileId" -> "",
          "latestBaseInstant" -> "",
          "filesToBeDeleted" -> absolute(basePath, inIt),
          "logBlocksToBeDeleted" -> Map.empty[String, Long].asJava
        )
      }.asJava
    )

  /** Returns the record of an outcome.
    * @param time   instant of the rollback
    * @param lost   the instant that was rolled back
    * @param millis duration of the rollback
    * @param files  deleted files, relative to the table */
  def outcome(
      basePath: Path,
      time: String,
      lost: Instant,
      millis: Long,
      files: Seq[String]
  ): GenericRecord =
    AvroFile.record(
      metadata,
      "startRollbackTime" -> time,
      "timeTakenInMillis" -> millis,
      "totalFilesDeleted" -> files.size,
      "commitsRollback" -> Seq(lost.time).asJava,
      "partitionMetadata" -> byPartition(files).map { case (partition, inIt) =>
        partition -> AvroFile.record(
          ofPartition,
          "partitionPath" -> partition,
          "successDeleteFiles" -> absolute(basePath, inIt),
          "failedDeleteFiles" -> Seq.empty[String].asJava
        )
      }.toMap.asJava,
      "instantsRollback" -> Seq(info(lost)).asJava
    )

  private[timeline] def info(lost: Instant): GenericRecord =
    AvroFile.record(instantInfo, "commitTime" -> lost.time, "action" -> lost.action)

  private def byPartition(files: Seq[String]): Seq[(String, Seq[String])] =
    files.groupBy(BaseFileName.folder).toSeq.sortBy(_._1)

  private def absolute(basePath: Path, files: Seq[String]): java.util.List[String] =
    files.map(Storage.resolve(basePath, _).toString).asJava
}
