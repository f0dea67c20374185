package hudilite.timeline

import scala.jdk.CollectionConverters._

import org.apache.avro.Schema
import org.apache.avro.generic.GenericRecord
import org.apache.hadoop.fs.Path

import hudilite.format.{BaseFileName, LogFileName}

/** Cleans on a timeline, by hudilite and by stock Hudi: their plans and their outcomes.
  * Source: hudi-format §3.11 (HoodieCleanerPlan, HoodieCleanMetadata). */
private[hudilite] final class Cleans(files: TimelineFiles) {
  import Cleans._

  private lazy val root = files.basePath.toUri.getPath.stripSuffix("/")

  /** Returns the instants of cleans that are planned and not completed, oldest first. */
  def pending(): Seq[String] = {
    val timeline = Timeline.named(files)
    timeline.instants.collect {
      case Instant(time, `action`, Instant.Requested, _) if !timeline.isCompleted(time, action) =>
        time
    }
  }

  /** Describes what the latest completed clean retained; None if there is none. */
  def retention(): Option[String] = newest(Instant.Completed).nextOption().map(kept)

  /** Describes what was retained by the clean that deleted a file or is going to; None if no clean
    * has. Searches the plans: a clean may be completed before another process that ran the same
    * plan has deleted the file.
    * @param file    name of the file
    * @param instant commit that wrote it
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def retentionOfCleanOf(file: String, instant: String): Option[String] =
    newest(Instant.Requested)
      .takeWhile(_ > instant)
      .find(planned(_).files.map(BaseFileName.last).contains(file))
      .map(kept)

  private def newest(state: Instant.State): Iterator[String] =
    Timeline.named(files).instants.reverseIterator.collect {
      case Instant(time, `action`, `state`, _) => time
    }

  private def kept(time: String): String =
    s"the clean at $time kept only the files of versions from ${planned(time).earliest} on"

  /** Reads the plan of a clean. Omits files of a bootstrap source and files outside the table's
    * partitions, no matter who made the plan.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def planned(time: String): Plan = {
    val requested = Instant(time, action, Instant.Requested)
    val plan = files.records(requested).headOption
      .getOrElse(throw Timeline.corrupt(files.path(requested), "it does not contain a plan"))
    val earliest = Option(plan.get("earliestInstantToRetain")).collect {
      case instant: GenericRecord => instant.get("timestamp").toString
    }
    Plan(
      earliest.getOrElse(""),
      text(plan, "lastCompletedCommitTimestamp"),
      text(plan, "policy"),
      (byPath(plan) ++ byName(plan)).distinct
    )
  }

  /** Returns the record of a plan, as stock Hudi reads it. */
  def record(plan: Plan): GenericRecord = {
    val toDelete = plan.byPartition.map { case (partition, names) =>
      partition -> names.map { name =>
        val place = BaseFileName.place(partition, name)
        AvroFile.record(
          cleanedFile,
          "filePath" -> files.at(place).toString,
          "isBootstrapBaseFile" -> false
        )
      }.asJava
    }
    AvroFile.record(
      cleanerPlan,
      "earliestInstantToRetain" -> AvroFile.record(
        actionInstant,
        "timestamp" -> plan.earliest,
        "action" -> Instant.commit,
        "state" -> "COMPLETED"
      ),
      "lastCompletedCommitTimestamp" -> plan.last,
      "policy" -> plan.policy,
      "filesToBeDeletedPerPartition" -> Map.empty[String, AnyRef].asJava,
      "filePathsToBeDeletedPerPartition" -> toDelete.asJava
    )
  }

  /** Returns the record of the outcome of a clean.
    * @param time    instant of the clean
    * @param millis  duration of the clean
    * @param deleted paths of the deleted files, relative to the table */
  def outcome(time: String, plan: Plan, millis: Long, deleted: Seq[String]): GenericRecord = {
    val partitions = Plan(plan.earliest, plan.last, plan.policy, deleted).byPartition.map {
      case (partition, names) =>
        partition -> AvroFile.record(
          ofPartition,
          "partitionPath" -> partition,
          "policy" -> plan.policy,
          "deletePathPatterns" -> names.asJava,
          "successDeleteFiles" -> names.asJava,
          "failedDeleteFiles" -> Seq.empty[String].asJava,
          "isPartitionDeleted" -> false
        )
    }
    AvroFile.record(
      cleanMetadata,
      "startCleanTime" -> time,
      "timeTakenInMillis" -> millis,
      "totalFilesDeleted" -> deleted.size,
      "earliestCommitToRetain" -> plan.earliest,
      "lastCompletedCommitTimestamp" -> plan.last,
      "partitionMetadata" -> partitions.asJava,
      "bootstrapPartitionMetadata" -> Map.empty[String, AnyRef].asJava
    )
  }

  /** Returns the files that a plan lists with full paths, as plans of version 2 do. */
  private def byPath(plan: GenericRecord): Seq[String] =
    perPartition(plan, "filePathsToBeDeletedPerPartition") {
      case file: GenericRecord if file.get("isBootstrapBaseFile") != java.lang.Boolean.TRUE =>
        Option(file.get("filePath")).flatMap(path => relative(path.toString))
      case _ => None
    }

  /** Returns the files that a plan lists by name alone, as older plans do. */
  private def byName(plan: GenericRecord): Seq[String] =
    perPartition(plan, "filesToBeDeletedPerPartition")(name => Some(name.toString))

  private def perPartition(plan: GenericRecord, field: String)(place: Any => Option[String]) =
    plan.get(field) match {
      case partitions: java.util.Map[_, _] => partitions.asScala.toSeq.flatMap {
          case (partition, files: java.util.Collection[_]) =>
            files.asScala.toSeq.flatMap(place).map(BaseFileName.last)
              .filter(isOfTable)
              .map(BaseFileName.place(partition.toString, _))
              .filterNot(_.split('/').contains(".."))
          case _ => Seq.empty
        }
      case _ => Seq.empty
    }

  private def isOfTable(name: String): Boolean =
    BaseFileName.parse(name).nonEmpty || LogFileName.parse(name).nonEmpty

  private def relative(path: String): Option[String] = {
    val own = new Path(path).toUri.getPath
    Option.when(own.startsWith(s"$root/"))(own.drop(root.length + 1))
  }

  private def text(record: GenericRecord, field: String): String =
    Option(record.get(field)).fold("")(_.toString)
}

private[hudilite] object Cleans {
  val action = "clean"

  /** Plan of a clean.
    * @param earliest instant of the earliest state that is retained
    * @param last     latest committed instant
    * @param policy   Hudi's name of the policy that determined it
    * @param files    files to delete, relative to the table */
  final case class Plan(earliest: String, last: String, policy: String, files: Seq[String]) {

    /** Returns the names of the files for each partition path. */
    def byPartition: Map[String, Seq[String]] =
      files.groupMap(BaseFileName.folder)(BaseFileName.last)
  }

  private val versionOfPlans = 2

  private val actionInstant = AvroFile
    .schema("HoodieActionInstant")
    .requiredString("timestamp")
    .requiredString("action")
    .requiredString("state")
    .endRecord

  private val cleanedFile = AvroFile
    .schema("HoodieCleanFileInfo")
    .optionalString("filePath")
    .optionalBoolean("isBootstrapBaseFile")
    .endRecord

  private val cleanerPlan: Schema = AvroFile
    .schema("HoodieCleanerPlan")
    .name("earliestInstantToRetain").`type`.unionOf.nullType.and.`type`(actionInstant).endUnion
    .nullDefault
    .name("lastCompletedCommitTimestamp").`type`.stringType.stringDefault("")
    .requiredString("policy")
    .name("filesToBeDeletedPerPartition").`type`.unionOf.nullType.and.map.values.array.items
    .stringType.endUnion.nullDefault
    .name("version").`type`.unionOf.intType.and.nullType.endUnion.intDefault(versionOfPlans)
    .name("filePathsToBeDeletedPerPartition").`type`.unionOf.nullType.and.map.values.array.items(
      cleanedFile
    ).endUnion.nullDefault
    .name("partitionsToBeDeleted").`type`.unionOf.nullType.and.array.items.stringType.endUnion
    .nullDefault
    .name("extraMetadata").`type`.unionOf.nullType.and.map.values.stringType.endUnion.nullDefault
    .endRecord

  private val ofPartition = AvroFile
    .schema("HoodieCleanPartitionMetadata")
    .requiredString("partitionPath")
    .requiredString("policy")
    .name("deletePathPatterns").`type`.array.items.stringType.noDefault
    .name("successDeleteFiles").`type`.array.items.stringType.noDefault
    .name("failedDeleteFiles").`type`.array.items.stringType.noDefault
    .optionalBoolean("isPartitionDeleted")
    .endRecord

  private val cleanMetadata: Schema = AvroFile
    .schema("HoodieCleanMetadata")
    .requiredString("startCleanTime")
    .requiredLong("timeTakenInMillis")
    .requiredInt("totalFilesDeleted")
    .requiredString("earliestCommitToRetain")
    .name("lastCompletedCommitTimestamp").`type`.stringType.stringDefault("")
    .name("partitionMetadata").`type`.map.values(ofPartition).noDefault
    .name("version").`type`.unionOf.intType.and.nullType.endUnion.intDefault(versionOfPlans)
    .name("bootstrapPartitionMetadata").`type`.unionOf.nullType.and.map.values(ofPartition).endUnion
    .nullDefault
    .name("extraMetadata").`type`.unionOf.nullType.and.map.values.stringType.endUnion.nullDefault
    .endRecord
}
