package hudilite.view

import scala.collection.mutable

import org.apache.hadoop.fs.Path

import hudilite.commit.{AsOf, CommitBase, CommitNumbers, Committed, TypeDecision}
import hudilite.error.HudiliteException
import hudilite.format.{
  BaseFileName,
  BucketCounts,
  IndexKind,
  PartitionPath,
  TableConfig,
  TableVersion
}
import hudilite.io.{FileEntry, Requests, Storage, StorageFault}
import hudilite.timeline.{
  Cleans,
  CommitMetadata,
  FileGroupRef,
  Instant,
  MetadataFolder,
  PendingPlans,
  SchemaHistory,
  Timeline,
  TimelineFiles
}

/** Snapshot of a table at one commit: the partitions and base files that belong to it. Reading it
  * writes nothing.
  * Source: hudi-format §7, design D10-D11. */
final class TableSnapshot private (
    timeline: TimelineFiles,
    val config: TableConfig,
    committed: Committed,
    val part: Seq[Seq[String]],
    asked: Option[AsOf],
    mayHaveBucketRules: Boolean,
    states: Option[TableStates] = None
) {

  private val storage = timeline.storage

  /** Location of the table. */
  val basePath: Path = timeline.basePath

  /** Footers of base files that are known without a read. */
  def footers: KnownFooters = new KnownFooters(timeline, config.uuid)

  /** Whether a specific table state was requested. It may still be the latest one. */
  def isPast: Boolean = asked.nonEmpty

  /** Requested table state, as text for a plan. */
  def asOf: Option[String] = asked.map(_.text)

  /** Highest commit number in the snapshot, 0 when there is none. */
  def number: Long = committed.number

  /** Commits that a write based on this snapshot has seen. */
  def base: CommitBase = committed.base

  /** Committed instants, oldest first. */
  def instants: Seq[String] = committed.times

  /** Latest committed instant. */
  def lastInstant: Option[String] = committed.times.lastOption

  /** Instant that names this table state in VERSION AS OF: the last one in commit order. */
  def lastVersion: Option[String] =
    Committed.steps(timeline).flatten.filter(committed.times.toSet).lastOption

  /** Schema of the latest commit that changes rows or columns and has one, otherwise of CREATE TABLE, as
    * Avro JSON without meta columns.
    * Errors: HUDILITE_UNSUPPORTED_TABLE if files have columns under other names. */
  lazy val schema: Option[String] = {
    if (hasColumnNumbers) lastInstant.foreach(SchemaHistory.check(timeline, _))
    latestSchema
  }

  /** Whether stock Hudi knows the columns by numbers, because it has changed some under
    * `hoodie.schema.on.read.enable`. A commit without these numbers would end that. */
  lazy val hasColumnNumbers: Boolean = ofColumns.exists(_.extra.contains(SchemaHistory.entry))

  private def latestSchema: Option[String] = ofColumns.map(_.schema).orElse(config.createSchema)

  /** Latest commit that has the columns of the table. */
  private lazy val ofColumns: Option[CommitMetadata] = {
    val stamps = if (isPast) Map.empty[String, Timeline.Stamp] else committed.stamps
    ColumnCommits.of(basePath, committed.times.reverse, stamps)(metadata)
  }

  /** Part of the snapshot that tasks need, without the files that the commits name. */
  val view: SnapshotView = SnapshotView(
    committed.times.toSet,
    committed.uncommitted,
    committed.firstActive,
    replaced,
    logRules = logRules,
    basePath = basePath.toString,
    counts = counts
  )

  /** Numbers of buckets in this state; None if the table has no buckets. */
  def counts: Option[BucketCounts] = config.index match {
    case IndexKind.Bucket(count, _) => committed.counts.orElse(Some(BucketCounts.of(count)))
    case IndexKind.Bloom => None
  }

  private def logRules: Option[LogRules] = Option.when(config.mayHaveLogs) {
    val completions = committed.timeline.completed.flatMap(i => i.completion.map(i.time -> _))
    LogRules(Option.when(config.version != TableVersion.Six)(completions.toMap))
  }

  /** File groups that the committed replacecommits hid. Those that a checkpoint covers are not
    * read. */
  private def replaced: Map[FileGroupRef, String] = {
    val known = committed.checkpoint.toSeq.flatMap(_.checkpoint.replaced)
    val since = committed.replaceCommits.filterNot(isCovered).flatMap { time =>
      metadata(time).toSeq.flatMap(_.replacedFileIds).flatMap { case (partition, ids) =>
        ids.map(id => FileGroupRef(partition, id) -> time)
      }
    }
    (known ++ since).toMap
  }

  private def isCovered(instant: String): Boolean =
    committed.checkpoint.exists(_.instants(instant))

  /** Stores a checkpoint of this snapshot's commits, from which later loads start.
    * Errors: HUDILITE_CORRUPT_TIMELINE, HUDILITE_UNSAFE_STORAGE. */
  private[hudilite] def storeCheckpoint(): Unit = committed
    .summary(timeline, config.uuid, view.replaced, checkedView.written)
    .foreach(new CommitNumbers(timeline).store(_, committed.found))

  /** View that also contains the latest files that the commits name. */
  lazy val checkedView: SnapshotView = {
    val table = s"$basePath ${config.uuid}"
    val known =
      if (isPast)
        states.fold(WrittenFiles.upTo(committed.stamps)(metadata))(
          _.written(committed.stamps)(metadata)
        )
      else WrittenFiles.of(table, committed.stamps, fromCheckpoint)(metadata)
    val files = committed.unpublishedTimes.foldLeft(known)((all, t) => all.grown(t, metadata(t)))
    view.copy(written = files.latest, writtenLogs = files.logs)
  }

  private def fromCheckpoint: Option[WrittenFiles] = committed.checkpoint.map { of =>
    WrittenFiles(committed.stamps.filter(s => of.instants(s._1)), of.checkpoint.latest)
  }

  /** Whether slices may have log files: of a copy-on-write table that was merge-on-read before, only those
    * of earlier states. */
  def mayShowLogs: Boolean = config.isMergeOnRead || isPast && config.mayHaveLogs

  /** Whether readers of copy-on-write tables see all rows of a slice. Stock Hudi's read no log files, and
    * count base files of commits and replacecommits alone, or of instants before these.
    * Source: decision 0022. */
  private[hudilite] def isSeenAsCopyOnWrite(slice: FileSlice): Boolean =
    slice.isOnlyBase && (counted(slice.instant) || counted.minOption.exists(slice.instant < _))

  private lazy val counted: Set[String] = committed.timeline.completed
    .filter(_.action != Instant.deltaCommit).map(_.time).filter(view.completed).toSet

  /** Returns the metadata of a committed instant, None if it was archived.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def metadata(instant: String): Option[CommitMetadata] =
    if (lastInstant.contains(instant)) newest else stored(instant)

  /** Fails if stock Hudi has planned a compaction or clustering and not finished it, or is building
    * an index.
    * Errors: HUDILITE_UNSUPPORTED_TABLE. */
  def checkNothingPlanned(): Unit = {
    PendingPlans.check(timeline, committed.timeline)
    PendingPlans.checkIndexing(timeline, committed.timeline, config)
  }

  /** Folder with rules of stock Hudi that define where a key is stored, other than one number of
    * buckets for all partitions; None if there is none. Reading needs no such rules. */
  lazy val bucketRules: Option[String] =
    if (mayHaveBucketRules) UnsupportedTable.bucketRules(timeline) else None

  /** Fails if the table has [[bucketRules]].
    * Errors: HUDILITE_TABLE_READ_ONLY. */
  def checkBucketRules(): Unit =
    bucketRules.foreach(rules => throw UnsupportedTable.ofBucketRules(timeline, rules))

  /** Fails if the table [[hasColumnNumbers]].
    * Errors: HUDILITE_TABLE_READ_ONLY. */
  def checkColumnNumbers(): Unit =
    if (hasColumnNumbers) throw UnsupportedTable.ofColumnNumbers(timeline)

  /** Returns the relative paths of the partitions, sorted, including those that are gone from the
    * disk; "" alone for a table without partition columns.
    * @param keep  filter on the texts of the partition columns, None for a null; called once for
    *              each combination of texts
    * @param below filter on the texts of the first partition columns; false if `keep` is false
    *              whatever the others are. A folder that it excludes is not listed.
    * Errors: HUDILITE_UNSUPPORTED_TABLE for a bootstrapped table whose folders do not fit its
    * partition path properties. */
  def partitions(
      keep: Seq[Option[String]] => Boolean = _ => true,
      below: Seq[Option[String]] => Boolean = _ => true
  ): Seq[String] = {
    checkFolders()
    val asked = mutable.Map.empty[Seq[Option[String]], Boolean] // once each: `keep` may count
    def isKept(values: Seq[Option[String]]) = asked.getOrElseUpdate(values, keep(values))
    val named = (writtenPartitions ++ replacedLater.keys)
      .filter(PartitionPath.decode(_, config).forall(isKept))
    (StorageFault.explained(folders(isKept, below)) ++ named).distinct.sorted.filter {
      partition => part.isEmpty || part.exists(Partitions.isBelow(partition, _))
    }
  }

  private def folders(
      keep: Seq[Option[String]] => Boolean,
      below: Seq[Option[String]] => Boolean = _ => true
  ): Seq[String] =
    new Partitions(storage, basePath, config, writtenPartitions).list(keep, below)

  private lazy val writtenPartitions: Set[String] = checkedView.writtenPartitions.toSet

  /** Returns the [[partitions]] that have a file group, with one listing of each that no commit of the
    * active timeline has written. */
  def occupied(
      keep: Seq[Option[String]] => Boolean = _ => true,
      below: Seq[Option[String]] => Boolean = _ => true
  ): Seq[String] = {
    val (known, others) = partitions(keep, below).partition(writtenPartitions)
    val found = others.zip(Requests.of(others)(groups(_).nonEmpty)).collect { case (path, true) =>
      path
    }
    (known ++ found).sorted
  }

  /** Returns this snapshot restricted to some partitions.
    * @param choices folder names from the first level on, which may be globs; each choice selects
    *                all partitions below it */
  def of(choices: Seq[Seq[String]]): TableSnapshot =
    new TableSnapshot(timeline, config, committed, choices, asked, mayHaveBucketRules, states)

  /** Returns the latest slice of each file group of all [[partitions]]. Errors as of [[slices]]. */
  def allSlices: Seq[FileSlice] = slicesOf(partitions())

  /** Returns the latest slice of each file group of some partitions, with one listing of each. Errors
    * as of [[slices]]. */
  def slicesOf(partitions: Seq[String]): Seq[FileSlice] = Requests.of(partitions)(slices).flatten

  /** Returns the latest slice of each file group of a partition, with one listing.
    * Errors: HUDILITE_DUPLICATE_BUCKET_FILE if two file groups share a bucket,
    * HUDILITE_CORRUPT_TIMELINE if the bootstrap index has no source file for a skeleton,
    * HUDILITE_SNAPSHOT_EXPIRED if an earlier state has lost a file, and those of
    * [[SnapshotView.latest]]. */
  def slices(partition: String): Seq[FileSlice] = {
    checkFolders()
    val entries = StorageFault.explained(states.fold(list(partition))(_.list(partition)(list)))
    if (isPast) checkWhole(partition, checkedView.listed(entries, partition, recorded))
    val found = checkedView.latest(entries, partition, recorded)
    view.checkBuckets(partition, found)
    withSources(partition, found)
  }

  private def list(partition: String): Seq[FileEntry] =
    storage.list(Storage.resolve(basePath, partition))

  /** File groups that an earlier state had, according to later commits that replaced them:
    * partition to file id to the instant of the file. */
  private lazy val replacedLater: Map[String, Map[String, String]] =
    if (committed.later.isEmpty) Map.empty
    else LaterCommits.replaced(committed.later.flatMap(metadata(_)), view.isCommitted)

  private def checkWhole(partition: String, found: Seq[FileSlice]): Unit = {
    val here = found.map(_.fileId).toSet
    val named = checkedView.lost(partition, found).map { case (_, file) =>
      file.name -> file.instant
    }
    val known = replacedLater.getOrElse(partition, Map.empty).filterNot(g => here(g._1))
    (named ++ known).headOption.foreach { case (file, instant) =>
      throw HudiliteException(
        "HUDILITE_SNAPSHOT_EXPIRED",
        "table" -> basePath.toString,
        "version" -> asOf.getOrElse(""),
        "file" -> BaseFileName.place(partition, file),
        "instant" -> instant,
        "retention" -> new Cleans(timeline).retention().getOrElse(
          "no clean has run on this table, so it was deleted outside Hudi"
        )
      )
    }
  }

  /** Partition of a bootstrapped table whose folder does not have the name that the partition path
    * properties give. A bootstrap keeps the folders of its source, while in other tables the rows
    * determine the folders. */
  private lazy val foreignFolder: Option[String] =
    if (config.isBootstrapped)
      folders(_ => true).find(!PartitionPath.isOwn(_, config))
    else None

  private def checkFolders(): Unit =
    foreignFolder.foreach(folder => throw UnsupportedTable.ofFolder(basePath, folder))

  private lazy val bootstrap: String => Map[String, SourceFile] =
    if (config.isBootstrapped) BootstrapIndex.open(timeline)
    else
      throw Timeline.corrupt(
        timeline.properties,
        s"it lacks ${TableConfig.Key.bootstrapBase}, but the table has bootstrapped files"
      )

  /** Returns the slices with the source file of each skeleton filled in.
    * Errors: HUDILITE_CORRUPT_TIMELINE if the bootstrap index lacks it, HUDILITE_MISSING_DATA_FILE if a
    * bootstrapped file group has log files and no base. */
  private[hudilite] def withSources(partition: String, slices: Seq[FileSlice]): Seq[FileSlice] = {
    lazy val sources = bootstrap(partition)
    def source(slice: FileSlice) = sources.getOrElse(
      slice.fileId,
      throw Timeline.corrupt(
        BootstrapIndex.folder(timeline),
        s"it has no source file for ${slice.fileName}"
      )
    )
    slices.map {
      case s if s.base == SliceBase.NoBase =>
        if (config.isBootstrapped && sources.contains(s.fileId)) throw withoutSkeleton(s)
        s
      case s => if (BootstrapIndex.isSkeleton(s)) s.over(source(s)) else s
    }
  }

  private def withoutSkeleton(slice: FileSlice): HudiliteException = {
    val log = slice.logs.head.path.getName
    view.gone(slice.partition, s"base file of $log", slice.instant)
  }

  /** Returns the latest slice of each file group, including those whose file is gone. For
    * operations that hide or count file groups and open no file. */
  def groups(partition: String): Seq[FileSlice] = {
    val folder = Storage.resolve(basePath, partition)
    val found = checkedView.listed(storage.list(folder), partition, recorded)
    val lost = checkedView.lost(partition, found).map { case (fileId, file) =>
      val path = Storage.resolve(folder, file.name)
      view.placed(FileSlice.ofBase(partition, fileId, file.instant, path, file.length))
    }
    (found.filterNot(slice => lost.exists(_.fileId == slice.fileId)) ++ lost).sortBy(_.fileId)
  }

  /** Returns the committed base and log files of a partition that no reader of this state opens.
    * Errors: HUDILITE_UNSUPPORTED_TABLE for a log file as of [[slices]]. */
  def superseded(partition: String): Seq[DataFile] = checkedView.superseded(
    storage.list(Storage.resolve(basePath, partition)),
    partition,
    recorded
  )

  /** Returns all base and log files of all [[partitions]], committed or not. */
  def allFiles: Seq[DataFile] = Requests.of(partitions())(files).flatten

  /** Returns all base and log files of a partition, committed or not. */
  def files(partition: String): Seq[DataFile] =
    DataFile.all(storage.list(Storage.resolve(basePath, partition)), partition)

  /** Returns when a commit's completed file was written, by the storage's clock, in milliseconds
    * since 1970; None if it was archived or is not published yet. */
  def completedMillis(instant: String): Option[Long] =
    committed.stamps.get(instant).map(_.modifiedMillis)

  /** Metadata of the latest commit, read once for both the schema and its files. */
  private lazy val newest: Option[CommitMetadata] = lastInstant.flatMap { instant =>
    LatestCommits.of(basePath, instant, committed.stamps.get(instant))(stored(instant))
  }

  private def stored(instant: String): Option[CommitMetadata] =
    StorageFault.explained(
      states.fold(committed.metadata(timeline, instant))(
        _.commit(instant)(committed.metadata(timeline, _))
      )
    )

  /** Records of the snapshot's instants; the files of archived commits are not known. */
  private[hudilite] val recorded: InstantRecords = InstantRecords.of(timeline) { instant =>
    metadata(instant).map(_.stats.map(_.fileName).toSet)
  }
}

object TableSnapshot {

  /** Loads the snapshot of the table's latest commit, or of the requested state.
    * @param listed listing of the metadata folder, if it was just made
    * Errors: HUDILITE_CORRUPT_TIMELINE, HUDILITE_UNSUPPORTED_TABLE, HUDILITE_VERSION_NOT_FOUND;
    * HUDILITE_CONCURRENT_WRITE if the table has become merge-on-read since it was opened. */
  def load(
      timeline: TimelineFiles,
      config: TableConfig,
      asked: Option[AsOf] = None,
      listed: Option[MetadataFolder] = None
  ): TableSnapshot = StorageFault.explained {
    val folder = listed.getOrElse(timeline.metadata())
    val committed =
      asked.fold(Committed.ofTable(timeline, config.uuid, folder))(Committed.load(timeline, _))
    if (!config.isMergeOnRead) TypeDecision.checkRead(timeline, committed, config)
    val mayHaveBucketRules = folder.mayHave(timeline.layout.bucketRules)
    new TableSnapshot(timeline, config, committed, Nil, asked, mayHaveBucketRules)
  }

  /** Returns the snapshot of one of several states that are read together. */
  private[view] def of(
      timeline: TimelineFiles,
      config: TableConfig,
      committed: Committed,
      asked: AsOf,
      mayHaveBucketRules: Boolean,
      states: TableStates
  ): TableSnapshot = new TableSnapshot(timeline, config, committed, Nil, Some(asked),
    mayHaveBucketRules, Some(states))
}
