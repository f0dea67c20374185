package hudilite.service

import scala.jdk.CollectionConverters._

import org.apache.avro.generic.GenericRecord
import org.apache.hadoop.fs.Path

import hudilite.commit.AsOf
import hudilite.error.HudiliteException
import hudilite.format.{BaseFileName, TableConfig}
import hudilite.timeline.{AvroFile, Cleans, Completion, Instant, Timeline, TimelineFiles}
import hudilite.view.{FileSlice, TableSnapshot}

/** Savepoints of a table: states whose files no clean deletes. Each is a file beside the commit of
  * its instant.
  * Source: hudi-format §3.1, §3.11 (HoodieSavepointMetadata). */
final class Savepoints(timeline: TimelineFiles) {
  import Savepoints._

  /** Returns the instants of all savepoints, oldest first. */
  def instants(): Seq[String] = completed().map(_.time)

  /** Returns the base and log files that the savepoints keep, relative to the table.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def files(): Set[String] = completed().flatMap { instant =>
    timeline.records(instant).flatMap(named(_, timeline.path(instant)))
  }.toSet

  /** Creates a savepoint of a state. Calling it again has no effect.
    *
    * A running clean looks for savepoints after it has put its plan on the timeline. After the
    * savepoint is on the timeline, this method looks for files that are gone or planned to be
    * deleted. So at least one of the two sees the other.
    * @param instant instant of the state
    * @param by      who requests the savepoint
    * @param now     milliseconds since 1970
    * Errors: HUDILITE_VERSION_NOT_FOUND, HUDILITE_SNAPSHOT_EXPIRED; those of
    * [[TableSnapshot.slices]]. */
  def create(
      config: TableConfig,
      instant: String,
      by: String,
      comment: String,
      now: Long
  ): Savepoints.Saved = {
    def slices() = {
      val state = TableSnapshot.load(timeline, config, Some(AsOf.Version(instant)))
      state.allSlices
    }
    val found = slices()
    timeline.create(inflight(instant)): Unit
    val made = record(found, by, comment, now)
    val isNew = Completion.create(timeline, instant, action, made, now, config.timelineZone)
    try {
      checkKept(instant, found)
      slices(): Unit // a clean that is not pending any more has deleted its files
    } catch {
      case e: HudiliteException =>
        if (isNew) delete(instant): Unit
        throw e
    }
    Saved(instant, found, isNew)
  }

  /** Deletes the savepoint of a state, so that a clean may delete the files.
    * @return false if the state has no savepoint */
  def delete(instant: String): Boolean = {
    val wasThere = timeline.deleteCompleted(Seq(instant -> action)) > 0
    timeline.delete(inflight(instant)): Unit
    wasThere
  }

  /** Fails if a clean is pending that deletes files of a state.
    * Errors: HUDILITE_SNAPSHOT_EXPIRED. */
  private[service] def checkKept(instant: String, slices: Seq[FileSlice]): Unit = {
    val cleans = new Cleans(timeline)
    val doomed = cleans.pending().flatMap(cleans.planned(_).files).toSet
    slices.flatMap(_.places).find(doomed).foreach { file =>
      throw HudiliteException(
        "HUDILITE_SNAPSHOT_EXPIRED",
        "table" -> timeline.basePath.toString,
        "version" -> instant,
        "file" -> file,
        "instant" -> instant,
        "retention" -> "a clean that has started will delete it"
      )
    }
  }

  private def completed(): Seq[Instant] =
    Timeline.named(timeline).instants
      .filter(i => i.action == action && i.state == Instant.Completed)

  private def inflight(instant: String) = Instant(instant, action, Instant.Inflight)
}

object Savepoints {
  private val action = "savepoint"

  /** Result of creating a savepoint.
    * @param slices file slices of the state
    * @param isNew  whether the state had no savepoint before */
  final case class Saved(instant: String, slices: Seq[FileSlice], isNew: Boolean)

  private val ofPartition = AvroFile
    .schema("HoodieSavepointPartitionMetadata")
    .requiredString("partitionPath")
    .name("savepointDataFile").`type`.array.items.stringType.noDefault
    .endRecord

  private val metadata = AvroFile
    .schema("HoodieSavepointMetadata")
    .requiredString("savepointedBy")
    .requiredLong("savepointedAt")
    .requiredString("comments")
    .name("partitionMetadata").`type`.map.values(ofPartition).noDefault
    .name("version").`type`.unionOf.intType.and.nullType.endUnion.intDefault(1)
    .endRecord

  private def record(slices: Seq[FileSlice], by: String, comment: String, now: Long) =
    AvroFile.record(
      metadata,
      "savepointedBy" -> by,
      "savepointedAt" -> now,
      "comments" -> comment,
      "partitionMetadata" -> slices.groupBy(_.partition).map { case (partition, inIt) =>
        partition -> AvroFile.record(
          ofPartition,
          "partitionPath" -> partition,
          "savepointDataFile" -> inIt.flatMap(_.places).map(BaseFileName.last).sorted.asJava
        )
      }.asJava
    )

  private def named(record: GenericRecord, path: Path): Seq[String] =
    record.get("partitionMetadata") match {
      case partitions: java.util.Map[_, _] => partitions.asScala.toSeq.flatMap {
          case (partition, files: GenericRecord) =>
            texts(files.get("savepointDataFile")).map(BaseFileName.place(partition.toString, _))
          case _ => Seq.empty
        }
      case _ => throw Timeline.corrupt(path, "it does not contain a list of files")
    }

  private def texts(list: Any): Seq[String] = list match {
    case items: java.util.Collection[_] => items.asScala.toSeq.map(_.toString)
    case _ => Seq.empty
  }
}
