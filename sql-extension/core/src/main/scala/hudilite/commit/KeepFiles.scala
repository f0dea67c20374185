package hudilite.commit

import hudilite.error.{Conditions, HudiliteException}
import hudilite.format.TableConfig
import hudilite.timeline.{
  CommitMetadata,
  FilesPartition,
  FilesRecords,
  Instant,
  Timeline,
  TimelineFiles
}

/** Upkeep of the partition `files` of Hudi's metadata table by writes of hudilite. Everything that it
  * writes for a commit follows from the commit's number, so each process that publishes the number
  * writes the same bytes. Runs on the driver.
  * Source: table-versions §4.5. */
private[commit] final class KeepFiles(files: TimelineFiles) {
  import KeepFiles._

  private val partition = new FilesPartition(files)

  /** Finds out whether the next commit can be written into the metadata table.
    * @param timeline timeline of the table
    * @return what the commit needs, or the reason why it cannot */
  def look(config: TableConfig, timeline: => Timeline): Either[String, Kept] =
    if (!config.metadataPartitions.contains(FilesPartition.name))
      Left(s"its partition ${FilesPartition.name} is not there")
    else {
      val listed = partition.list()
      for {
        own <- attempt(Timeline.named(partition.timeline))
        _ <- unfinished(own, timeline).toLeft(())
        _ <- unknown(listed).toLeft(())
        _ <- Option.when(listed.ownBlocks >= mostBlocks)(full).toLeft(())
        file <- attempt(listed.withSchema.find(hasSchema)).flatMap(_.toRight("it has no schema"))
      } yield Kept(file, (own.lastCompletion ++ own.last).maxOption)
    }

  /** Whether the metadata table has a deltacommit of an instant. */
  def has(instant: String): Boolean = partition.has(instant)

  /** Returns the number of blocks that writes of hudilite have added since the last compaction. */
  def blocks(): Int = partition.list().ownBlocks

  /** Writes what the number of a commit contains into the metadata table.
    * @return the reason why it cannot be written
    * Errors: those of the storage. */
  def publish(record: CommitRecord): Option[String] = {
    val written = for {
      schemaFile <- record.schemaFile
      completion <- record.completion
      json <- record.metadata
      stats = CommitMetadata.ofJson(json, files.path(record.shown(files.layout))).stats
      if stats.nonEmpty
    } yield {
      val changes = stats.groupMap(_.partitionPath)(stat =>
        stat.fileName -> FilesRecords.File(stat.fileSizeInBytes, isDeleted = false)
      )
      write(record.instant, completion, changes.map { case (p, of) => p -> of.toMap }, schemaFile)
    }
    written.flatten
  }

  /** Writes the files that a clean has deleted into the metadata table, unless that is done.
    * @param completion time at which the deltacommit is completed
    * @param deleted    names of the files by partition path
    * @return the reason why it cannot be written
    * Errors: those of the storage. */
  def publishClean(
      instant: String,
      completion: String,
      deleted: Map[String, Seq[String]],
      kept: Kept
  ): Option[String] = {
    val changes = deleted.map { case (of, names) =>
      of -> names.map(_ -> FilesRecords.deleted).toMap
    }
    if (changes.isEmpty || partition.isDone(instant)) None
    else write(instant, completion, changes, kept.schemaFile)
  }

  private def write(
      instant: String,
      completion: String,
      changes: FilesRecords.Changes,
      schemaFile: String
  ): Option[String] =
    attempt(partition.write(instant, completion, changes, schemaFile)).left.toOption

  private def hasSchema(file: String): Boolean = partition.schema(file).exists { json =>
    FilesRecords.of(json, files.at(files.layout.metadataTable))
    true
  }
}

private[hudilite] object KeepFiles {

  /** Facts that a commit needs to be written into the metadata table.
    * @param schemaFile file of the partition from which its block gets the schema
    * @param last       highest time on the timeline of the metadata table */
  final case class Kept(schemaFile: String, last: Option[String])

  /** Most blocks that writes of hudilite add between two compactions by stock Hudi. Readers merge all
    * of them. */
  val mostBlocks = 49

  private val full =
    s"it has $mostBlocks blocks of hudilite since stock Hudi last compacted it"

  /** Returns an action on the metadata table that is not finished. A clean of the table that is pending
    * is not one: it goes on by itself. */
  private def unfinished(own: Timeline, timeline: => Timeline): Option[String] = {
    val done = own.instants.filter(_.state == Instant.Completed)
    val times = done.map(_.time).toSet
    val open = own.instants.filterNot(i => times(i.time)).distinctBy(_.time)
    if (!done.exists(_.action == Instant.deltaCommit)) Some("its timeline is not known")
    else open.find(i => !isClean(timeline, i.time)).map(i =>
      s"its ${i.action} ${i.time} is pending"
    )
  }

  private def isClean(timeline: Timeline, time: String): Boolean =
    timeline.isRequested(time, "clean")

  private def unknown(listed: FilesPartition.Listed): Option[String] = {
    val others = (listed.fileIds - FilesPartition.fileId).toSeq.sorted
    (listed.unknown ++ others).headOption.map(name =>
      s"its partition ${FilesPartition.name} contains $name, which hudilite does not know"
    )
  }

  private def attempt[A](step: => A): Either[String, A] =
    try Right(step)
    catch {
      case e: HudiliteException =>
        Left(e.parameters.getOrElse("reason", Conditions.message(e.condition, e.parameters)))
    }
}
