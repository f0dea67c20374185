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
    * @param isShared whether this runs under the lock of stock Hudi's writers. Their writes may then have
    *                 begun in the metadata table, too: no reader takes their blocks before they commit
    * @return what the commit needs, or the reason why it cannot */
  def look(
      config: TableConfig,
      timeline: => Timeline,
      isShared: Boolean = false
  ): Either[Obstacle, Kept] =
    if (!config.metadataPartitions.contains(FilesPartition.name))
      Left(Obstacle(s"its partition ${FilesPartition.name} is not there"))
    else {
      val listed = partition.list()
      def goesOn(i: Instant): Boolean =
        isClean(timeline, i.time) ||
          isShared && i.action == Instant.deltaCommit && timeline.pending(i.time)
      for {
        own <- attempt(Timeline.named(partition.timeline)).left.map(Obstacle(_))
        _ <- unfinished(own, goesOn).toLeft(())
        _ <- unknown(listed).toLeft(())
        _ <- Option.when(listed.ownBlocks >= mostBlocks)(full).toLeft(())
        file <- attempt(listed.withSchema.find(hasSchema))
          .flatMap(_.toRight("it has no schema")).left.map(Obstacle(_))
      } yield Kept(file, (own.lastCompletion ++ own.last).maxOption)
    }

  /** Whether the metadata table has a deltacommit of an instant. */
  def has(instant: String): Boolean = partition.has(instant)

  /** Returns the number of blocks that writes of hudilite have added since the last compaction. */
  def blocks(): Int = partition.list().ownBlocks

  /** Writes what the number of a commit contains into the metadata table.
    * @param isShared whether this runs under the lock of stock Hudi's writers. They may have removed the
    *                 file with the schema since the number was taken; then another one will do, because
    *                 nobody else writes the block
    * @return the reason why it cannot be written
    * Errors: those of the storage. */
  def publish(record: CommitRecord, isShared: Boolean = false): Option[String] = {
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
      def from(file: String): Option[String] =
        write(record.instant, completion, changes.map { case (p, of) => p -> of.toMap }, file)
      from(schemaFile).flatMap { reason =>
        val other = if (isShared) otherSchema(record.instant, schemaFile) else None
        other.fold(Option(reason))(from)
      }
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

  /** Returns another file with the schema: the block of the instant itself, if a dead process has
    * written it, so that it stays as it is. */
  private def otherSchema(instant: String, schemaFile: String): Option[String] = {
    val listed = partition.list()
    val own = listed.logs.filter(_.instant == instant).map(_.text)
    (own.iterator ++ listed.withSchema).filter(_ != schemaFile)
      .find(file => attempt(hasSchema(file)).contains(true))
  }

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

  /** Reason why a commit cannot be written into the metadata table.
    * @param text   what was found there
    * @param remedy what a writer of stock Hudi can do so that it can be written; None if nothing is known */
  final case class Obstacle(text: String, remedy: Option[String] = None)

  /** Most blocks that writes of hudilite add between two compactions by stock Hudi. Readers merge all
    * of them. */
  val mostBlocks = 49

  private val full = Obstacle(
    s"it has $mostBlocks blocks of hudilite since stock Hudi last compacted it",
    Some("Let stock Hudi write once, which compacts it.")
  )

  /** Returns an action on the metadata table that is not finished.
    * @param goesOn whether an action is not one: it goes on by itself, as that of a clean of the table */
  private def unfinished(own: Timeline, goesOn: Instant => Boolean): Option[Obstacle] = {
    val done = own.instants.filter(_.state == Instant.Completed)
    val times = done.map(_.time).toSet
    val open = own.instants.filterNot(i => times(i.time)).distinctBy(_.time)
    if (!done.exists(_.action == Instant.deltaCommit)) Some(Obstacle("its timeline is not known"))
    else open.find(!goesOn(_)).map { i =>
      val remedy = "Let stock Hudi write and clean once, which finishes it."
      Obstacle(s"its ${i.action} ${i.time} is pending", Some(remedy))
    }
  }

  private def isClean(timeline: Timeline, time: String): Boolean =
    timeline.isRequested(time, "clean")

  private def unknown(listed: FilesPartition.Listed): Option[Obstacle] = {
    val others = (listed.fileIds - FilesPartition.fileId).toSeq.sorted
    (listed.unknown ++ others).headOption.map(name =>
      Obstacle(
        s"its partition ${FilesPartition.name} contains $name, which hudilite does not know"
      )
    )
  }

  private def attempt[A](step: => A): Either[String, A] =
    try Right(step)
    catch {
      case e: HudiliteException =>
        Left(e.parameters.getOrElse("reason", Conditions.message(e.condition, e.parameters)))
    }
}
