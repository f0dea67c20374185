package hudilite.verify

import hudilite.format.{BaseFileName, Bucket, BucketCounts, BucketLayout}
import hudilite.timeline.{CommitMetadata, FileGroupRef, TimelineFiles, WriteStat}
import hudilite.view.{FileSlice, InstantRecords, LogFile, SnapshotView}

/** Check of the latest snapshot's base files against the metadata of the commits that wrote them.
  * @param view     decides which files are committed
  * @param metadata metadata of the snapshot's instants, oldest first, without those that cannot be
  *                 read
  * Source: hudi-format §4, §6.5, §7; faults F44, F45, F49-F52. */
private[verify] final class SliceCheck(
    view: SnapshotView,
    metadata: Seq[(String, CommitMetadata)]
) {
  private val stats: Map[String, Map[String, WriteStat]] = metadata.map { case (instant, commit) =>
    instant -> commit.stats.map(s => s.fileName -> s).toMap
  }.toMap

  /** Returns the records of the instants, as [[SnapshotView.latest]] needs them. */
  def recorded(timeline: TimelineFiles): InstantRecords =
    InstantRecords.of(timeline)(stats.get(_).map(_.keySet))

  private val (ofLogs, ofBases) = metadata
    .flatMap { case (instant, commit) =>
      commit.stats.map(s => FileGroupRef(s.partitionPath, s.fileId) -> (instant -> s))
    }
    .filterNot { case (group, _) => view.replaced.contains(group) }
    .partition(_._2._2.log.nonEmpty)

  /** Latest base file of each file group that readers should see, according to the commits. */
  val expected: Map[FileGroupRef, (String, WriteStat)] = ofBases.toMap

  /** Entries of log files in the commits, with their instants, by file group. */
  private val logs: Map[FileGroupRef, Seq[(String, WriteStat)]] =
    ofLogs.groupMap(_._1)(_._2)

  /** Instants whose commit is known. */
  def known: Set[String] = stats.keySet

  /** Returns what the commits say of the files of a slice. Its log files know their committed
    * lengths. */
  def checked(slice: FileSlice): TableCheck.CheckedSlice = {
    val own =
      logs.getOrElse(FileGroupRef(slice.partition, slice.fileId), Nil).groupBy(_._2.fileName)
    def statsOf(log: LogFile) = own.getOrElse(log.path.getName, Nil)
    val sized = slice.logs.map(log =>
      log.copy(committed = statsOf(log).map(_._2.fileSizeInBytes).maxOption.getOrElse(0L))
    )
    val written = slice.logs.map(log =>
      log.path.getName -> statsOf(log).toMap.map { case (instant, stat) =>
        instant -> TableCheck.LogStat(stat.numWrites, stat.numDeletes)
      }
    )
    new TableCheck.CheckedSlice(slice.copy(logs = sized), rows(slice), written.toMap)
  }

  /** Returns the findings from the names of a partition's slices. */
  def names(partition: String, slices: Seq[FileSlice]): Seq[Finding] =
    view.counts.fold(Seq.empty[Finding])(buckets(partition, slices, _)) ++ slices.flatMap(unlisted)

  /** Returns findings if the lengths of a slice's files differ from those that commits recorded. A
    * log file may be longer, because a writer that failed may have appended to it.
    * @param checked slice that [[checked]] has returned */
  def lengths(checked: TableCheck.CheckedSlice): Seq[Finding] = {
    val slice = checked.slice
    val bytes = slice.base.length
    val ofBase = stat(slice)
      .filter(s => s.fileSizeInBytes > 0 && s.fileSizeInBytes != bytes)
      .map(s => length(slice.place, s"commit ${slice.instant}", s.fileSizeInBytes, bytes))
    ofBase.toSeq ++ slice.logs.filter(log => log.length < log.committed).map { log =>
      length(checked.place(log), "its commit", log.committed, log.length)
    }
  }

  private def length(place: String, writer: String, written: Long, bytes: Long): Finding =
    Finding.error(
      "LENGTH_DIFFERS",
      place,
      s"$writer wrote $written bytes, but the file has $bytes"
    )

  /** Returns the number of rows that the commit recorded; None if it recorded no file size. */
  def rows(slice: FileSlice): Option[Long] =
    stat(slice).filter(_.fileSizeInBytes > 0).map(_.numWrites)

  /** Returns findings for files that the commits wrote and that are gone.
    * @param there  paths of all files, relative to the table
    * @param slices slices that a reader takes */
  def missing(there: Set[String], slices: Seq[FileSlice]): Seq[Finding] = {
    val read = slices.map(s => FileGroupRef(s.partition, s.fileId) -> s).toMap
    def gone(instant: String, stat: WriteStat, instead: String) = Finding.error(
      "FILE_MISSING",
      stat.path,
      s"commit $instant wrote this file, but it does not exist; $instead"
    )
    def isThere(stat: WriteStat) = there(stat.path.stripPrefix("/"))
    val bases = expected.toSeq.filterNot(e => isThere(e._2._2)).map { e =>
      val instead = read.get(e._1).flatMap(_.baseName)
        .fold("readers do not see its rows")(name => s"readers use $name instead")
      gone(e._2._1, e._2._2, instead)
    }
    bases ++ logs.toSeq.flatMap { case (group, all) =>
      val since = (read.get(group).map(_.instant) ++ expected.get(group).map(_._1)).maxOption
      all.filter { case (_, stat) =>
        !isThere(stat) && view.isLogSince(since.getOrElse(""), stat.fileName)
      }.distinctBy(_._2.fileName)
        .map { case (instant, stat) => gone(instant, stat, "its changes are lost") }
    }
  }

  private def stat(slice: FileSlice): Option[WriteStat] =
    slice.baseName.flatMap(name => stats.get(slice.instant).flatMap(_.get(name)))

  private def unlisted(slice: FileSlice): Option[Finding] =
    Option.when(
      slice.baseName.nonEmpty && stats.contains(slice.instant) && stat(slice).isEmpty
    ) {
      Finding.error(
        "FILE_NOT_IN_COMMIT",
        slice.place,
        s"readers use this file, but commit ${slice.instant} does not list it"
      )
    }

  private def buckets(
      partition: String,
      slices: Seq[FileSlice],
      counts: BucketCounts
  ): Seq[Finding] = {
    def isRight(bucket: Bucket) =
      bucket.number < bucket.count && Seq(counts.own, counts.other).contains(bucket.count)
    val (right, wrong) = slices.partition(_.bucket.exists(isRight))
    val number = Seq(counts.own, counts.other).distinct.mkString(" or ")
    wrong.map { slice =>
      val found = slice.bucket.fold("its name contains no bucket") { bucket =>
        val of = if (bucket.count == counts.own) "" else s" of ${bucket.count}"
        s"its name contains bucket ${bucket.number}$of"
      }
      Finding.error(
        "BUCKET_OUT_OF_RANGE",
        slice.places.head,
        s"$found, but the table has $number buckets"
      )
    } ++ BucketLayout.clashes(right.flatMap(slice => slice.bucket.map(_ -> slice)))
      .map { case (bucket, several) => forked(partition, bucket.number, several) }
  }

  private def forked(partition: String, bucket: Int, slices: Seq[FileSlice]): Finding =
    Finding.error(
      "DUPLICATE_BUCKET",
      partition,
      s"bucket $bucket has ${slices.size} file groups: " +
        slices.map(s => s"${BaseFileName.last(s.places.head)} (${s.length} bytes)").sorted.mkString(
          ", "
        )
    )
}
