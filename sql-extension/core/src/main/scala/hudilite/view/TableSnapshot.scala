package hudilite.view

import scala.collection.mutable

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.format.{BaseFileName, FileId, PartitionPath, TableConfig}
import hudilite.io.Storage
import hudilite.timeline.{
  AsOf,
  Cleans,
  CommitBase,
  CommitMetadata,
  Committed,
  FileGroupRef,
  PendingPlans,
  Timeline
}

/** A table as of one commit: which partitions and which base files belong to it. Reading it writes
  * nothing.
  * Source: hudi-format §7, design D10-D11. */
final class TableSnapshot private (
    storage: Storage,
    val basePath: Path,
    val config: TableConfig,
    committed: Committed,
    val part: Seq[Seq[String]],
    asked: Option[AsOf]
) {

  /** Whether it is an earlier state that was asked for; it may be the latest all the same. */
  def isPast: Boolean = asked.nonEmpty

  /** Which state was asked for, in words for a plan. */
  def asOf: Option[String] = asked.map(_.text)

  /** Highest commit number counted, 0 when there is none. */
  def number: Long = committed.number

  /** What a write that starts from this snapshot has seen. */
  def base: CommitBase = committed.base

  /** Committed instants, oldest first. */
  def instants: Seq[String] = committed.times

  /** Latest committed instant. */
  def lastInstant: Option[String] = committed.times.lastOption

  /** Instant by which VERSION AS OF names this state: the one that came to count last. */
  def lastVersion: Option[String] = Committed.steps(storage, basePath).lastOption.map(_.last)

  /** Schema of the latest commit that carries one, else of CREATE TABLE, as Avro JSON without
    * meta columns. */
  lazy val schema: Option[String] =
    committed.times.reverseIterator
      .flatMap(metadata(_))
      .map(_.schema)
      .find(_.nonEmpty)
      .orElse(config.createSchema)

  /** The part that tasks need. */
  val view: SnapshotView = SnapshotView(
    committed.times.toSet,
    committed.uncommitted,
    committed.firstActive,
    committed.replaceCommits.flatMap { time =>
      metadata(time).toSeq.flatMap(_.replacedFileIds).flatMap { case (partition, ids) =>
        ids.map(id => FileGroupRef(partition, id) -> time)
      }
    }.toMap
  )

  /** The view that also knows which files the commits wrote. */
  lazy val checkedView: SnapshotView = view.copy(written = {
    val table = s"$basePath ${config.uuid}"
    val known =
      if (isPast) WrittenFiles.upTo(committed.stamps.keySet)(metadata)
      else WrittenFiles.of(table, committed.stamps)(metadata)
    committed.unpublishedTimes.foldLeft(known)((all, t) => WrittenFiles.grown(all, t, metadata(t)))
  })

  /** Metadata of a committed instant, nothing when it was archived.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def metadata(instant: String): Option[CommitMetadata] =
    if (lastInstant.contains(instant)) newest else committed.metadata(storage, basePath, instant)

  /** Errors: HUDILITE_UNSUPPORTED_TABLE while a service of stock Hudi is under way. */
  def checkNothingPlanned(): Unit = PendingPlans.check(storage, basePath, committed.timeline)

  /** Relative paths of the partitions, sorted, those too that are gone from the disk; "" alone for
    * a table without partition columns.
    * @param keep tells by the texts of the partition columns whether to look further; None is
    *             null */
  def partitions(keep: Seq[Option[String]] => Boolean = _ => true): Seq[String] = {
    foldersAreOwn
    val asked = mutable.Map.empty[Seq[Option[String]], Boolean] // each once: who asks may count
    def isKept(values: Seq[Option[String]]) = asked.getOrElseUpdate(values, keep(values))
    val named = (checkedView.writtenPartitions ++ replacedLater.keys)
      .filter(PartitionPath.decode(_, config).forall(isKept))
    (Partitions.list(storage, basePath, config, isKept) ++ named).distinct.sorted.filter {
      partition => part.isEmpty || part.exists(Partitions.isBelow(partition, _))
    }
  }

  /** Those of the [[partitions]] that hold a base file, with one listing of each. */
  def occupied(keep: Seq[Option[String]] => Boolean = _ => true): Seq[String] =
    partitions(keep).filter(groups(_).nonEmpty)

  /** The same snapshot of some partitions.
    * @param choices folder names from the first level on, globs among them; each stands for the
    *                partitions below */
  def of(choices: Seq[Seq[String]]): TableSnapshot =
    new TableSnapshot(storage, basePath, config, committed, choices, asked)

  /** Latest slice of each file group of a partition, with one listing.
    * Errors: HUDILITE_DUPLICATE_BUCKET_FILE when two file groups share a bucket,
    * HUDILITE_CORRUPT_TIMELINE when the bootstrap index does not tell where adopted data lie,
    * HUDILITE_SNAPSHOT_EXPIRED when an earlier state has lost a file, and those of
    * [[SnapshotView.latest]]. */
  def slices(partition: String): Seq[FileSlice] = {
    foldersAreOwn
    val entries = storage.list(Storage.resolve(basePath, partition))
    if (isPast) checkWhole(partition, checkedView.listed(entries, partition, recorded))
    val found = checkedView.latest(entries, partition, recorded)
    if (config.hasBuckets) SnapshotView.checkBuckets(partition, found)
    withSources(partition, found)
  }

  /** File groups that an earlier state had, by what later commits say of what they replaced: partition
    * to file id to the instant of the file. */
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
        "retention" -> new Cleans(storage, basePath).retention().getOrElse(
          "no clean has run here, so it was deleted outside Hudi"
        )
      )
    }
  }

  /** Of a bootstrapped table alone: others' folders are held to their rows. */
  private lazy val foldersAreOwn: Unit =
    if (config.isBootstrapped)
      Partitions
        .list(storage, basePath, config, _ => true)
        .find(!PartitionPath.isOwn(_, config))
        .foreach { folder =>
          throw TableSnapshot.unsupported(
            basePath,
            "partition path",
            folder,
            "The table's hive_style_partitioning and partitionpath.urlencode give other folders " +
              "than its source has: bootstrap it again with those that fit."
          )
        }

  private lazy val bootstrap: String => Map[String, SourceFile] =
    if (config.isBootstrapped) BootstrapIndex.open(storage, basePath)
    else
      throw Timeline.corrupt(
        Storage.resolve(Timeline.folder(basePath), TableConfig.fileName),
        s"it lacks ${TableConfig.Key.bootstrapBase}, and the table has adopted files"
      )

  /** The same slices, of which skeletons know their sources. */
  private[hudilite] def withSources(partition: String, slices: Seq[FileSlice]): Seq[FileSlice] = {
    lazy val sources = bootstrap(partition)
    def source(slice: FileSlice) = sources.getOrElse(
      slice.fileId,
      throw Timeline.corrupt(
        BootstrapIndex.folder(basePath),
        s"it does not tell where the data of ${slice.fileName} lie"
      )
    )
    slices.map(s => if (BootstrapIndex.isSkeleton(s)) s.copy(source = Some(source(s))) else s)
  }

  /** Latest slice of each file group, also of one whose file is gone: for what hides groups or counts
    * them, and opens none. */
  def groups(partition: String): Seq[FileSlice] = {
    val folder = Storage.resolve(basePath, partition)
    val found = checkedView.listed(storage.list(folder), partition, recorded)
    val lost = checkedView.lost(partition, found).map { case (fileId, file) =>
      FileSlice(partition, fileId, file.instant, Storage.resolve(folder, file.name), file.length)
    }
    (found.filterNot(slice => lost.exists(_.fileId == slice.fileId)) ++ lost).sortBy(_.fileId)
  }

  /** Base files of a partition that count in this state and that no reader of it opens. */
  def superseded(partition: String): Seq[FileSlice] = checkedView.superseded(
    storage.list(Storage.resolve(basePath, partition)),
    partition,
    recorded
  )

  /** All base files of a partition, whether they count or not. */
  def files(partition: String): Seq[FileSlice] = SnapshotView
    .files(storage.list(Storage.resolve(basePath, partition)), partition)
    .map(_._2)

  /** When a commit's completed file was written, by the storage's clock, in milliseconds since 1970;
    * nothing for one that was archived or is not published yet. */
  def completedMillis(instant: String): Option[Long] =
    committed.stamps.get(instant).map(_.modifiedMillis)

  /** Latest slice of one bucket, nothing while the bucket is empty. */
  def bucketSlice(partition: String, bucket: Int): Option[FileSlice] =
    slices(partition).find(s => FileId.bucketOf(s.fileId).contains(bucket))

  /** Instant of the replacecommit that last replaced a bucket, "" when none did. Source: design
    * D11. */
  def epoch(partition: String, bucket: Int): String = view.epoch(partition, bucket)

  /** Metadata of the latest commit, read once: the schema and its files. */
  private lazy val newest: Option[CommitMetadata] =
    lastInstant.flatMap(committed.metadata(storage, basePath, _))

  /** Names of the files that a commit lists; nothing when it was archived. */
  private[hudilite] def recorded(instant: String): Option[Set[String]] =
    metadata(instant).map(_.stats.map(_.fileName).toSet)
}

object TableSnapshot {

  /** Pins the table's latest commit, or the state that is asked for.
    * Errors: HUDILITE_CORRUPT_TIMELINE, HUDILITE_UNSUPPORTED_TABLE, HUDILITE_VERSION_NOT_FOUND. */
  def load(
      storage: Storage,
      basePath: Path,
      config: TableConfig,
      asked: Option[AsOf] = None
  ): TableSnapshot = {
    checkBucketRules(storage, basePath)
    val committed =
      asked.fold(Committed.load(storage, basePath))(Committed.load(storage, basePath, _))
    new TableSnapshot(storage, basePath, config, committed, Nil, asked)
  }

  /** Consistent hashing and per-partition bucket counts say in this folder where a key lies.
    * Source: hudi-format §6.6-6.7. */
  private def checkBucketRules(storage: Storage, basePath: Path): Unit =
    storage
      .list(Storage.resolve(Timeline.folder(basePath), ".bucket_index"))
      .find(_.isDirectory)
      .foreach { rules =>
        throw unsupported(
          basePath,
          ".hoodie/.bucket_index",
          rules.name,
          "Create a new table WITH BUCKETS n and insert this one's rows with stock Hudi's " +
            "CALL copy_to_table(...)."
        )
      }

  private def unsupported(basePath: Path, fact: String, value: String, fix: String) =
    HudiliteException(
      "HUDILITE_UNSUPPORTED_TABLE",
      "path" -> basePath.toString,
      "fact" -> fact,
      "value" -> value,
      "fix" -> fix
    )
}
