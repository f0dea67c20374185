package hudilite.timeline

import java.nio.charset.StandardCharsets.UTF_8
import java.time.ZoneOffset
import java.util.concurrent.atomic.AtomicReference

import org.apache.hadoop.fs.Path

import hudilite.format.{HFile, LogBlock, LogFileName, TableConfig}
import hudilite.io.Storage

/** Partition `files` of Hudi's metadata table: which files each partition of the table contains.
  * Readers of stock Hudi and hudi-rs take it instead of listing the folders. It consists of one file
  * group, with base files that only stock Hudi writes, and one log file for each commit.
  *
  * The metadata table is a Hudi table of its own. Each commit of the table is a deltacommit of the
  * metadata table at the same instant, which is completed first.
  * Source: table-versions §4.2-4.5. */
private[hudilite] final class FilesPartition(files: TimelineFiles) {
  import FilesPartition._

  private val storage = files.storage
  private val folder = files.at(s"${files.layout.metadataTable}/$name")

  /** File whose schema was read last, and the schema. */
  private val known = new AtomicReference(Option.empty[(String, String)])

  /** Files of the timeline of the metadata table. */
  val timeline: TimelineFiles =
    new TimelineFiles(storage, files.at(files.layout.metadataTable), files.layout)

  /** Lists the files of the partition, with one call of the storage. */
  def list(): Listed = Listed.of(storage.names(folder))

  /** Returns the schema of the records, as stock Hudi wrote it. Files never change, so the last one
    * that was asked for is not read again.
    * @param file name of a base file or log file
    * @return None if the file has no schema
    * Errors: those of [[Storage.read]]; HUDILITE_CORRUPT_TIMELINE. */
  def schema(file: String): Option[String] =
    known.get.collect { case (`file`, json) => json }.orElse {
      val found = read(file)
      known.set(found.map(file -> _))
      found
    }

  private def read(file: String): Option[String] = {
    val path = at(file)
    val bytes = storage.read(path)
    if (BaseName.matches(file))
      schemaOf(HFile.read(bytes, path.toString))
    else
      LogBlock.read(bytes, path.toString).filter(_.kind == LogBlock.hfile)
        .flatMap(_.schema).lastOption
  }

  /** Writes the block of a commit and the deltacommit of the metadata table. A process that has
    * written a part of it may have died; whoever writes it again creates the same files.
    * @param instant    instant of the commit, and of the deltacommit
    * @param completion time at which the deltacommit is completed
    * @param changes    files that the commit has written or deleted
    * @param schemaFile file of the partition whose schema the block gets
    * Errors: HUDILITE_CORRUPT_TIMELINE if the block cannot be written; those of the storage. */
  def write(
      instant: String,
      completion: String,
      changes: FilesRecords.Changes,
      schemaFile: String
  ): Unit = {
    val json = schema(schemaFile).getOrElse(
      throw Timeline.corrupt(at(schemaFile), "it contains no schema")
    )
    val records = FilesRecords.of(json, at(schemaFile)).encode(changes)
    Seq(Instant.Requested, Instant.Inflight)
      .foreach(state => timeline.create(Instant(instant, Instant.deltaCommit, state)))
    val log = logOf(instant)
    val content = HFile.bytes(records, Seq(schemaInfo -> json.getBytes(UTF_8)), millis(instant))
    val block = LogBlock.bytes(instant, json, content)
    val isNew = storage.createNew(at(log.text), block)
    if (!isNew && !java.util.Arrays.equals(storage.read(at(log.text)), block))
      throw Timeline.corrupt(at(log.text), "it is not the block of its instant")
    val done = Instant(instant, Instant.deltaCommit, Instant.Completed, Some(completion))
    val metadata = DeltaCommitAvro.record(log, records.size, block.length, json)
    timeline.create(done, timeline.codec.encode(metadata)): Unit
  }

  /** Whether the metadata table has a deltacommit of an instant, in any state. */
  def has(instant: String): Boolean = states(instant).nonEmpty

  /** Whether it has a completed one. */
  def isDone(instant: String): Boolean = states(instant).exists(_.state == Instant.Completed)

  private def states(instant: String): Seq[Instant] =
    timeline.instants().filter(i => i.time == instant && i.action == Instant.deltaCommit)

  /** Returns the files that readers of the metadata table see, with their lengths, by partition path
    * and name.
    * @param table timeline of the table
    * Errors: those of [[Storage.read]]; HUDILITE_CORRUPT_TIMELINE. */
  def listing(table: Timeline): Map[String, Map[String, Long]] = {
    val own = Timeline.named(timeline)
    val done = own.instants.filter(_.state == Instant.Completed)
    val completions = done.map(i => i.time -> i.completion.getOrElse(i.time)).toMap
    val listed = list()
    def isDone(base: BaseFile) =
      completions.contains(base.instant) || own.instants.headOption.exists(base.instant < _.time)
    val base = listed.bases.filter(isDone).maxByOption(_.instant)
    def counts(log: LogFileName) = {
      val completion = completions.get(log.instant)
      val isLater = base.forall(_.instant < completion.getOrElse(log.instant))
      isLater && (isCompleted(table, log.instant) ||
        completion.nonEmpty && !table.isKnown(log.instant))
    }
    val logs = listed.logs.filter(counts).sortBy(_.instant)
    val changes = base.toSeq.flatMap(b => recordsOf(b)) ++ logs.flatMap(log => recordsOf(log))
    changes.groupMapReduce(_._1)(_._2)(_ ++ _).map { case (key, files) =>
      val there = files.collect { case (file, state) if !state.isDeleted => file -> state.size }
      FilesRecords.partition(key) -> there
    }
  }

  private def isCompleted(table: Timeline, time: String): Boolean =
    table.instants.exists(i => i.time == time && i.state == Instant.Completed)

  private def recordsOf(base: BaseFile): Seq[(String, Map[String, FilesRecords.File])] = {
    val path = at(base.name)
    val content = HFile.read(storage.read(path), path.toString)
    decoded(content, schemaOf(content), path)
  }

  private def recordsOf(log: LogFileName): Seq[(String, Map[String, FilesRecords.File])] = {
    val path = at(log.text)
    LogBlock.read(storage.read(path), path.toString).flatMap { block =>
      if (block.kind == LogBlock.hfile)
        decoded(HFile.read(block.content, path.toString), block.schema, path)
      else if (block.kind == LogBlock.delete && block.buffer.remaining <= noKeys) Nil
      else throw Timeline.corrupt(path, s"it has a block of the kind ${block.kind}")
    }
  }

  private def schemaOf(base: HFile): Option[String] =
    base.info.get(schemaInfo).map(new String(_, UTF_8))

  private def decoded(content: HFile, schema: Option[String], path: Path) = {
    val records = FilesRecords.of(schema.getOrElse(""), path)
    content.entries.filter(_._1 != FilesRecords.allPartitions).map { case (key, value) =>
      key -> records.decode(value)
    }
  }

  private def at(file: String): Path = Storage.resolve(folder, file)
}

private[hudilite] object FilesPartition {

  /** Name of the partition. */
  val name: String = TableConfig.filesPartition

  /** Id of its only file group. */
  val fileId = "files-0000-0"

  /** End of the name of a log file that hudilite writes. */
  private val token = "0-1-0"
  private val metafile = ".hoodie_partition_metadata"
  private val schemaInfo = "schema"

  /** Most bytes of the content of a block that deletes no keys, with which a file group begins. */
  private val noKeys = 9
  private val BaseName = "([^._/]+)_[0-9]+-[0-9]+-[0-9]+_([0-9]{14}|[0-9]{17})\\.hfile".r

  /** Base file of the partition.
    * @param instant instant of the compaction that wrote it */
  final case class BaseFile(name: String, fileId: String, instant: String)

  /** Files of the partition.
    * @param bases   base files
    * @param logs    log files
    * @param unknown names of other files */
  final case class Listed(bases: Seq[BaseFile], logs: Seq[LogFileName], unknown: Seq[String]) {

    /** Ids of the file groups. */
    def fileIds: Set[String] = bases.map(_.fileId).toSet ++ logs.map(_.fileId)

    /** Returns the instant of the latest compaction. */
    def compacted: Option[String] = bases.map(_.instant).maxOption

    /** Returns the number of log files that hudilite has written since the latest compaction. */
    def ownBlocks: Int =
      logs.count(log => log.writeToken == token && !compacted.exists(log.instant <= _))

    /** Returns the names of the files that may contain the schema, the latest first. */
    def withSchema: Iterator[String] =
      logs.sortBy(_.instant).reverseIterator.map(_.text) ++
        bases.sortBy(_.instant).reverseIterator.map(_.name)
  }

  private[timeline] object Listed {
    def of(names: Seq[String]): Listed = {
      val found = names.distinct.filter(_ != metafile)
      val bases = found.collect { case file @ BaseName(id, instant) => BaseFile(file, id, instant) }
      val logs = found.flatMap(LogFileName.parse)
      Listed(bases, logs, found.diff(bases.map(_.name) ++ logs.map(_.text)))
    }
  }

  private def logOf(instant: String) = LogFileName(fileId, instant, 1, token)

  /** Returns a time of creation for the HFile of an instant, the same one for every process. */
  private def millis(instant: String): Long =
    InstantTime.moments(instant, ZoneOffset.UTC).headOption.getOrElse(0L)
}
