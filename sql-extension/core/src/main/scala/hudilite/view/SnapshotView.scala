package hudilite.view

import scala.annotation.tailrec

import hudilite.commit.CommittedFile
import hudilite.error.HudiliteException
import hudilite.format.{BaseFileName, FileId}
import hudilite.io.FileEntry
import hudilite.timeline.{FileGroupRef, Instant}

/** Rules that decide which base files a snapshot shows. The object has plain values only, so that
  * it can be serialized to tasks.
  * @param completed   committed instants of the active timeline
  * @param uncommitted instants that are pending, were aborted, or committed after the snapshot
  * @param firstActive first committed instant of the active timeline
  * @param replaced    hidden file groups, each with the replacecommit that hid it
  * @param written     latest base files according to the commits, see [[WrittenFiles]]
  * Source: hudi-format §7.1-7.2. */
final case class SnapshotView(
    completed: Set[String],
    uncommitted: Set[String],
    firstActive: Option[String],
    replaced: Map[FileGroupRef, String],
    written: CommittedFile.Latest = Map.empty
) {

  /** Whether no file is committed. */
  def isEmpty: Boolean = completed.isEmpty && firstActive.isEmpty

  /** Whether the files of an instant are committed. An instant before the active timeline counts as
    * committed and archived. */
  def isCommitted(instant: String): Boolean =
    completed(instant) || firstActive.exists(instant < _) && !uncommitted(instant)

  /** Returns the latest slice of each file group of a partition, sorted by file id.
    * @param entries  listing of the partition's folder; other files and duplicates do no harm
    * @param recorded returns the names of the files that an instant's metadata lists, None if not
    *                 known. Called only if one instant left two files of one file group, as
    *                 repeated task attempts do.
    * Errors: HUDILITE_UNSUPPORTED_TABLE for a log file, which only merge-on-read tables have;
    * HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE if the latest file of a file group is
    * gone or has another length than [[written]] says. */
  def latest(
      entries: Seq[FileEntry],
      partition: String,
      recorded: String => Option[Set[String]]
  ): Seq[FileSlice] = {
    val found = listed(entries, partition, recorded)
    val files = current(partition)
    missing(files, found).headOption.foreach { case (_, file) =>
      throw HudiliteException(
        "HUDILITE_MISSING_DATA_FILE",
        "path" -> BaseFileName.place(partition, file.name),
        "instant" -> file.instant
      )
    }
    found.foreach { slice =>
      files.get(slice.fileId).filter(_.name == slice.fileName).foreach(checkLength(slice, _))
    }
    found
  }

  private def checkLength(slice: FileSlice, file: CommittedFile): Unit =
    if (file.length > 0 && slice.base.length != file.length)
      throw HudiliteException(
        "HUDILITE_CORRUPT_DATA_FILE",
        "path" -> slice.path.toString,
        "reason" -> s"it has ${slice.base.length} bytes, but its commit wrote ${file.length}"
      )

  /** Returns the latest slices by the listing alone. If a file is gone, the one before it is
    * returned. */
  private[view] def listed(
      entries: Seq[FileEntry],
      partition: String,
      recorded: String => Option[Set[String]]
  ): Seq[FileSlice] = {
    entries.find(e => SnapshotView.isLog(e.name)).foreach(log => throw SnapshotView.refused(log))
    entries
      .filter(!_.isDirectory)
      .distinctBy(_.name)
      .flatMap(entry => BaseFileName.parse(entry.name).map(_ -> entry))
      .filter { case (name, _) => isCommitted(name.instant) && !isReplaced(partition, name) }
      .filterNot { case (name, _) => isStray(partition, name) }
      .groupBy(_._1.fileId)
      .toVector
      .sortBy(_._1)
      .flatMap { case (_, versions) => newest(versions, partition, recorded) }
  }

  /** Returns the committed base files that no reader of this snapshot opens: older versions,
    * left-over files of repeated task attempts, and files of hidden file groups. */
  private[view] def superseded(
      entries: Seq[FileEntry],
      partition: String,
      recorded: String => Option[Set[String]]
  ): Seq[FileSlice] = {
    val shown = listed(entries, partition, recorded).map(_.fileName).toSet
    SnapshotView.files(entries, partition).filter { case (name, slice) =>
      isCommitted(name.instant) && !shown(slice.fileName) && !isStray(partition, name)
    }.map(_._2)
  }

  /** Returns the latest files that the commits name and a listing does not show, by file id. */
  private[view] def lost(partition: String, found: Seq[FileSlice]): Map[String, CommittedFile] =
    missing(current(partition), found)

  private def missing(files: Map[String, CommittedFile], found: Seq[FileSlice]) = {
    val slices = found.map(slice => slice.fileId -> slice).toMap
    files.filter { case (fileId, file) =>
      !slices.get(fileId).exists(s => s.instant > file.instant || s.fileName == file.name)
    }
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
  private def isStray(partition: String, name: BaseFileName): Boolean =
    knownBootstraps(name.instant) && !written.get(partition).exists(_.contains(name.fileId))

  /** Instants of the bootstraps whose commits were read. If a commit was skipped, none of its files
    * is known. */
  private lazy val knownBootstraps: Set[String] =
    Instant.bootstraps.filter { instant =>
      completed(instant) && written.valuesIterator.exists(
        _.valuesIterator.exists(_.instant == instant)
      )
    }.toSet

  private def isReplaced(partition: String, name: BaseFileName): Boolean =
    replaced.contains(FileGroupRef(partition, name.fileId))

  @tailrec private def newest(
      versions: Seq[(BaseFileName, FileEntry)],
      partition: String,
      recorded: String => Option[Set[String]]
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

  /** Returns the base files of a listing, committed or not. */
  private[view] def files(
      entries: Seq[FileEntry],
      partition: String
  ): Seq[(BaseFileName, FileSlice)] =
    for {
      entry <- entries.distinctBy(_.name) if !entry.isDirectory
      name <- BaseFileName.parse(entry.name)
    } yield name ->
      FileSlice.ofBase(partition, name.fileId, name.instant, entry.path, entry.length)

  /** Whether a name looks like that of a log file. Looser than `LogFileName.parse`, so that a table
    * with log files of unusual names is refused, too. A log of change data capture has no part in
    * the rows of the table. */
  private def isLog(name: String): Boolean =
    name.startsWith(".") && name.contains("_") && name.contains(".log.") &&
      !name.endsWith(changes)

  /** End of the name of a file with the changes of one commit, which no snapshot needs. */
  private val changes = ".cdc"

  private def refused(log: FileEntry) = HudiliteException(
    "HUDILITE_UNSUPPORTED_TABLE",
    "path" -> log.path.getParent.toString,
    "fact" -> "a log file",
    "value" -> log.name,
    "fix" -> ("Only copy-on-write is supported. Compact the log files with stock Hudi: " +
      "CALL run_compaction(op => 'run', table => '...').")
  )

  /** Fails if two file groups of a partition share a bucket.
    * Errors: HUDILITE_DUPLICATE_BUCKET_FILE. */
  def checkBuckets(partition: String, slices: Seq[FileSlice]): Unit =
    slices.groupBy(s => FileId.bucketOf(s.fileId)).foreach {
      case (Some(bucket), several) if several.length > 1 =>
        throw HudiliteException(
          "HUDILITE_DUPLICATE_BUCKET_FILE",
          "partition" -> partition,
          "bucket" -> bucket.toString,
          "files" -> several.map(s => s"${s.fileName} (${s.length} bytes)").mkString(", ")
        )
      case _ => ()
    }
}
