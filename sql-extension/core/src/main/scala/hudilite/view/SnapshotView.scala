package hudilite.view

import scala.annotation.tailrec

import org.apache.hadoop.fs.Path

import hudilite.commit.CommittedFile
import hudilite.error.HudiliteException
import hudilite.format.{BaseFileName, BucketCounts, BucketLayout, FileId, LogFileName}
import hudilite.io.FileEntry
import hudilite.timeline.{FileGroupRef, Instant, Timeline}

/** Rules that decide which base files a snapshot shows. The object has plain values only, so that
  * it can be serialized to tasks.
  * @param completed   committed instants of the active timeline
  * @param uncommitted instants that are pending, were aborted, or committed after the snapshot
  * @param firstActive first committed instant of the active timeline
  * @param replaced    hidden file groups, each with the replacecommit that hid it
  * @param written     latest base files according to the commits, see [[WrittenFiles]]
  * @param writtenLogs log files according to the commits
  * @param logRules    rules for log files; None if the table must not have any
  * @param basePath    folder of the table, for errors
  * @param counts      numbers of buckets; None if the table has none
  * Source: hudi-format §7.1-7.2. */
final case class SnapshotView(
    completed: Set[String],
    uncommitted: Set[String],
    firstActive: Option[String],
    replaced: Map[FileGroupRef, String],
    written: CommittedFile.Latest = Map.empty,
    writtenLogs: CommittedFile.Logs = Map.empty,
    logRules: Option[LogRules] = None,
    basePath: String = "",
    counts: Option[BucketCounts] = None
) {

  /** Whether no file is committed. */
  def isEmpty: Boolean = completed.isEmpty && firstActive.isEmpty

  /** Whether the files of an instant are committed. An instant before the active timeline counts as
    * committed and archived. */
  def isCommitted(instant: String): Boolean =
    completed(instant) || firstActive.exists(instant < _) && !uncommitted(instant)

  /** Returns the view of an earlier state, in which some commits did not count yet. Which files these
    * have hidden stays as it is: the result decides about blocks of log files only. */
  def before(later: Set[String]): SnapshotView =
    copy(completed = completed -- later, uncommitted = uncommitted ++ later)

  /** Returns the latest slice of each file group of a partition, sorted by file id.
    * @param entries  listing of the partition's folder; other files and duplicates do no harm
    * @param recorded what is looked up about an instant
    * Errors: HUDILITE_UNSUPPORTED_TABLE for a log file of a table that is not merge-on-read, or with
    * an unusual name;
    * HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE if the latest file of a file group is
    * gone or has another length than [[written]] says, or a log file is gone or shorter. */
  def latest(
      entries: Seq[FileEntry],
      partition: String,
      recorded: InstantRecords
  ): Seq[FileSlice] = {
    val found = listed(entries, partition, recorded)
    val files = current(partition)
    lost(partition, found).headOption.foreach { case (_, file) =>
      throw gone(partition, file.name, file.instant)
    }
    found.foreach { slice =>
      files.get(slice.fileId).filter(slice.isOfBase).foreach(checkLength(slice, _))
    }
    logRules.fold(found)(rules => found.map(withCommitted(rules, _)))
  }

  /** Returns the slice whose log files know their committed lengths.
    * Errors: HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE if a committed log file of the
    * slice is gone or shorter. */
  private def withCommitted(rules: LogRules, slice: FileSlice): FileSlice = {
    val all =
      writtenLogs.getOrElse(slice.partition, Map.empty).getOrElse(slice.fileId, Vector.empty)
    val hasAll =
      slice.base == SliceBase.NoBase && rules.completions.nonEmpty // no slice came before
    val own = all.filter { file =>
      isCommitted(file.instant) && (hasAll ||
        LogFileName.parse(file.name).exists(rules.isSince(slice.instant, _, _ => None)))
    }
    checkLogs(slice, own)
    val lengths = own.groupMapReduce(_.name)(_.length)(_ max _)
    slice.copy(logs =
      slice.logs.map(log => log.copy(committed = lengths.getOrElse(log.path.getName, 0L)))
    )
  }

  private def checkLogs(slice: FileSlice, committed: Seq[CommittedFile]): Unit = {
    val logs = slice.logs.map(log => log.path.getName -> log.length).toMap
    committed.foreach(file =>
      logs.get(file.name) match {
        case None => throw gone(slice.partition, file.name, file.instant)
        case Some(length) if length < file.length =>
          throw SnapshotView.corrupt(
            path(slice.partition, file.name),
            s"it has $length bytes, but its commit wrote ${file.length}"
          )
        case Some(_) => ()
      }
    )
  }

  /** Whether a log file belongs to a slice, or to one that comes after it.
    * @param instant instant of the slice
    * @param name    name of the log file; its instant is not archived */
  private[hudilite] def isLogSince(instant: String, name: String): Boolean =
    LogFileName.parse(name).exists(log => logRules.exists(_.isSince(instant, log, _ => None)))

  private def checkLength(slice: FileSlice, file: CommittedFile): Unit =
    if (file.length > 0 && slice.base.length != file.length)
      throw SnapshotView.corrupt(
        slice.path.toString,
        s"it has ${slice.base.length} bytes, but its commit wrote ${file.length}"
      )

  /** Returns the latest slices by the listing alone. If a file is gone, the one before it is
    * returned. */
  private[view] def listed(
      entries: Seq[FileEntry],
      partition: String,
      recorded: InstantRecords
  ): Seq[FileSlice] = {
    val logs = logFiles(entries, partition)
    val bases = baseFiles(entries, partition, recorded)
    val alone = logs.keySet -- bases.map(_.fileId)
    val found = bases.map(base => withLogs(base, logs.getOrElse(base.fileId, Nil), recorded)) ++
      alone.flatMap(fileId => withoutBase(partition, fileId, logs(fileId)))
    (if (logs.isEmpty) found else found.sortBy(_.fileId)).map(placed)
  }

  /** Returns the slice with its bucket. */
  private[view] def placed(slice: FileSlice): FileSlice =
    counts.fold(slice)(of => slice.copy(bucket = of.bucketOf(slice.fileId)))

  /** Returns the log files that may count, by file id, in the order in which they apply. */
  private def logFiles(entries: Seq[FileEntry], partition: String): Map[String, Seq[LogFile]] =
    mayCount(entries).filter(log => !isReplaced(partition, log.name.fileId))
      .sorted(LogFile.order).groupBy(_.name.fileId)

  /** Returns the log files that may count, of hidden file groups, too. */
  private def mayCount(entries: Seq[FileEntry]): Seq[LogFile] = {
    val logs = entries.filter(e => !e.isDirectory && SnapshotView.isLog(e.name)).distinctBy(_.name)
    logs.headOption.toSeq.flatMap { first =>
      val rules = logRules.getOrElse(throw SnapshotView.refused(first))
      logs.map(log => LogFile.of(log).getOrElse(throw SnapshotView.refused(log)))
        .filter(log => rules.mayCount(log.name, isCommitted))
    }
  }

  private def withLogs(
      base: FileSlice,
      logs: Seq[LogFile],
      recorded: InstantRecords
  ): FileSlice =
    if (logs.isEmpty) base
    else {
      val own = logs.filter { log =>
        logRules.exists(_.isSince(base.instant, log.name, recorded.completion))
      }
      own.map(_.name.instant).filter(_ > base.instant).find(isOfLostBase).foreach { instant =>
        val files = own.filter(_.name.instant == instant).map(_.path.getName)
        throw gone(base.partition, s"base file of ${files.head}", instant)
      }
      base.copy(logs = own)
    }

  /** Whether the name of a log file means that its slice has a committed base. */
  private def isOfLostBase(instant: String): Boolean =
    logRules.exists(_.completions.isEmpty) && isCommitted(instant)

  private def withoutBase(
      partition: String,
      fileId: String,
      logs: Seq[LogFile]
  ): Option[FileSlice] = for {
    rules <- logRules
    instant <- rules.withoutBase(logs.map(_.name), isCommitted)
  } yield {
    val own = logs.filter(log => rules.isSince(instant, log.name, _ => None))
    FileSlice(partition, fileId, instant, SliceBase.NoBase, own)
  }

  private def baseFiles(
      entries: Seq[FileEntry],
      partition: String,
      recorded: InstantRecords
  ): Seq[FileSlice] =
    entries
      .filter(!_.isDirectory)
      .distinctBy(_.name)
      .flatMap(entry => BaseFileName.parse(entry.name).map(_ -> entry))
      .filter { case (name, _) => isCommitted(name.instant) && !isReplaced(partition, name.fileId) }
      .filterNot { case (name, _) => isStray(partition, name.fileId, name.instant) }
      .groupBy(_._1.fileId)
      .toVector
      .sortBy(_._1)
      .flatMap { case (_, versions) => newest(versions, partition, recorded) }

  /** Returns the committed base files that no reader of this snapshot opens: older versions,
    * left-over files of repeated task attempts, and files of hidden file groups. Then the log files of
    * earlier slices and of hidden file groups.
    * Errors: HUDILITE_UNSUPPORTED_TABLE as of [[latest]]. */
  private[view] def superseded(
      entries: Seq[FileEntry],
      partition: String,
      recorded: InstantRecords
  ): Seq[DataFile] = {
    val slices = baseFiles(entries, partition, recorded)
    val shown = slices.map(_.fileName).toSet
    val (logs, bases) = DataFile.all(entries, partition).partition(_.isLog)
    val older = bases.filter { file =>
      isCommitted(file.instant) && !shown(file.fileName) &&
      !isStray(partition, file.fileId, file.instant)
    }
    val olderLogs = supersededLogs(entries, partition, slices, recorded)
    older ++ logs.filter(log => olderLogs(log.fileName))
  }

  /** Returns the names of the log files that come before the slices of this snapshot, or whose file group is hidden.
    * One with the instant of a commit that is not completed is left out: in version 6, that may be a
    * planned compaction, whose log files belong to the slice before it until it is completed. */
  private def supersededLogs(
      entries: Seq[FileEntry],
      partition: String,
      bases: Seq[FileSlice],
      recorded: InstantRecords
  ): Set[String] = {
    val (hidden, logs) = mayCount(entries).partition(log => isReplaced(partition, log.name.fileId))
    val shown = bases.map(slice => slice.fileId -> slice.instant).toMap
    val older = logs.groupBy(_.name.fileId).toSeq.sortBy(_._1).flatMap { case (fileId, own) =>
      for {
        rules <- logRules.toSeq
        slice <- shown.get(fileId).orElse(rules.withoutBase(own.map(_.name), isCommitted)).toSeq
        log <- own if !rules.isSince(slice, log.name, recorded.completion)
      } yield log
    }
    (hidden ++ older).filter(log => isCommitted(log.name.instant)).map(_.path.getName).toSet
  }

  /** Returns the latest files that the commits name and a listing does not show, by file id: bases, and
    * the first log file of a file group that had log files alone. */
  private[view] def lost(partition: String, found: Seq[FileSlice]): Map[String, CommittedFile] = {
    val slices = found.map(slice => slice.fileId -> slice).toMap
    val bases = current(partition)
    val logs = for {
      (fileId, all) <- writtenLogs.getOrElse(partition, Map.empty)
      if !slices.contains(fileId) && !bases.contains(fileId) && !isReplaced(partition, fileId)
      first <- all.find(file => completed(file.instant))
    } yield fileId -> first
    logs ++ bases.filter { case (fileId, file) =>
      !slices.get(fileId).exists(s => s.instant > file.instant || s.isOfBase(file))
    }
  }

  /** Fails if two file groups of a partition have buckets with the same keys.
    * Errors: HUDILITE_DUPLICATE_BUCKET_FILE. */
  def checkBuckets(partition: String, slices: Seq[FileSlice]): Unit =
    BucketLayout.clashes(slices.flatMap(slice => slice.bucket.map(_ -> slice))).headOption.foreach {
      case (bucket, several) =>
        throw HudiliteException(
          "HUDILITE_DUPLICATE_BUCKET_FILE",
          "table" -> s"hudilite.`$basePath`",
          "partition" -> partition,
          "bucket" -> bucket.number.toString,
          "files" -> several.map(SnapshotView.describe).mkString(", ")
        )
    }

  /** Fails if a file group has a number of buckets that the table does not have, so that a write
    * would not find its keys.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def checkCounts(slices: Seq[FileSlice]): Unit = for {
    of <- counts
    slice <- slices
    bucket <- slice.bucket if bucket.count != of.own && bucket.count != of.other
  } throw Timeline.corrupt(
    new Path(basePath),
    s"file group ${slice.fileId} is one of ${bucket.count} buckets, but no commit number says that " +
      s"the table has ${bucket.count}"
  )

  /** Returns the error for a file of a committed slice that is gone. */
  private[view] def gone(partition: String, file: String, instant: String) = HudiliteException(
    "HUDILITE_MISSING_DATA_FILE",
    "path" -> path(partition, file),
    "instant" -> instant
  )

  private def path(partition: String, file: String): String = {
    val place = BaseFileName.place(partition, file)
    if (basePath.isEmpty) place else s"$basePath/$place"
  }

  /** Partitions in which the commits name a file group that is not hidden. */
  private[view] def writtenPartitions: Iterable[String] =
    written.view.filter { case (partition, files) => files.exists(isCurrent(partition, _)) }.keys

  private def current(partition: String): Map[String, CommittedFile] =
    written.getOrElse(partition, Map.empty).filter(isCurrent(partition, _))

  private def isCurrent(partition: String, file: (String, CommittedFile)): Boolean =
    completed(file._2.instant) &&
      (replaced.isEmpty || !replaced.contains(FileGroupRef(partition, file._1)))

  /** Returns the instant of the replacecommit that last replaced a bucket, "" if none did. Source:
    * design D11. */
  def epoch(partition: String, bucket: Int): String =
    replaced
      .collect {
        case (FileGroupRef(p, id), time)
            if p == partition && FileId.bucketOf(id).contains(bucket) =>
          time
      }
      .maxOption
      .getOrElse("")

  /** Whether a file was left by a failed attempt at a bootstrap. All attempts use the same instant,
    * so the instant does not tell them apart. */
  private def isStray(partition: String, fileId: String, instant: String): Boolean =
    knownBootstraps(instant) && !written.get(partition).exists(_.contains(fileId))

  /** Instants of the bootstraps whose commits were read. If a commit was skipped, none of its files
    * is known. */
  private lazy val knownBootstraps: Set[String] =
    Instant.bootstraps.filter { instant =>
      completed(instant) && written.valuesIterator.exists(
        _.valuesIterator.exists(_.instant == instant)
      )
    }.toSet

  private def isReplaced(partition: String, fileId: String): Boolean =
    replaced.contains(FileGroupRef(partition, fileId))

  @tailrec private def newest(
      versions: Seq[(BaseFileName, FileEntry)],
      partition: String,
      recorded: InstantRecords
  ): Option[FileSlice] = {
    val instant = versions.map(_._1.instant).maxOption.getOrElse("")
    val (attempts, older) = versions.partition(_._1.instant == instant)
    val winners =
      if (attempts.length <= 1) attempts
      else recorded(instant).fold(attempts)(names => attempts.filter(a => names(a._2.name)))
    winners.maxByOption(_._1.writeToken) match {
      case Some((name, entry)) =>
        Some(FileSlice.ofBase(partition, name.fileId, instant, entry.path, entry.length))
      case None if older.nonEmpty => newest(older, partition, recorded)
      case None => None
    }
  }
}

object SnapshotView {

  /** Whether a name looks like that of a log file. Looser than `LogFileName.parse`, so that a table
    * with log files of unusual names is refused, too. A log of change data capture has no part in
    * the rows of the table. */
  private[view] def isLog(name: String): Boolean =
    name.startsWith(".") && name.contains("_") && name.contains(".log.") &&
      !name.endsWith(changes)

  /** End of the name of a file with the changes of one commit, which no snapshot needs. */
  private val changes = ".cdc"

  private def refused(log: FileEntry) = HudiliteException(
    "HUDILITE_UNSUPPORTED_TABLE",
    "path" -> log.path.getParent.toString,
    "fact" -> "a log file",
    "value" -> log.name,
    "fix" -> ("The table must not have such a file. Compact the log files with stock Hudi: " +
      "CALL run_compaction(op => 'run', table => '...').")
  )

  private def corrupt(path: String, reason: String) =
    HudiliteException("HUDILITE_CORRUPT_DATA_FILE", "path" -> path, "reason" -> reason)

  private def describe(slice: FileSlice): String =
    s"${slice.places.headOption.fold(slice.fileId)(BaseFileName.last)} (${slice.length} bytes)"
}
