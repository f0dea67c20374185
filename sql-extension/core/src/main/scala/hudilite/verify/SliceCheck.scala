package hudilite.verify

import hudilite.format.{FileId, IndexKind, TableConfig}
import hudilite.timeline.{CommitMetadata, FileGroupRef, WriteStat}
import hudilite.view.{FileSlice, SnapshotView}

/** Check of the latest snapshot's base files against the metadata of the commits that wrote them.
  * @param config   properties of the table
  * @param view     decides which files are committed
  * @param metadata metadata of the snapshot's instants, oldest first, without those that cannot be
  *                 read
  * Source: hudi-format §4, §6.5, §7; faults F44, F45, F49-F52. */
private[verify] final class SliceCheck(
    config: TableConfig,
    view: SnapshotView,
    metadata: Seq[(String, CommitMetadata)]
) {
  private val stats: Map[String, Map[String, WriteStat]] = metadata.map { case (instant, commit) =>
    instant -> commit.stats.map(s => s.fileName -> s).toMap
  }.toMap

  /** Returns the names of the files that an instant's commit lists, as [[SnapshotView.latest]]
    * needs it. */
  def recorded(instant: String): Option[Set[String]] = stats.get(instant).map(_.keySet)

  /** Latest file of each file group that readers should see, according to the commits. */
  val expected: Map[FileGroupRef, (String, WriteStat)] = metadata
    .flatMap { case (instant, commit) =>
      commit.stats.map(s => FileGroupRef(s.partitionPath, s.fileId) -> (instant -> s))
    }
    .toMap
    .filterNot { case (group, _) => view.replaced.contains(group) }

  /** Returns the findings from the names of a partition's slices. */
  def names(partition: String, slices: Seq[FileSlice]): Seq[Finding] =
    (config.index match {
      case IndexKind.Bucket(numBuckets, _) => buckets(partition, slices, numBuckets)
      case IndexKind.Bloom => Seq.empty
    }) ++ slices.flatMap(unlisted)

  /** Returns a finding if the length of a slice differs from the one that its commit recorded. */
  def length(slice: FileSlice): Option[Finding] = {
    val bytes = slice.base.length
    stat(slice).filter(s => s.fileSizeInBytes > 0 && s.fileSizeInBytes != bytes).map { s =>
      Finding.error(
        "LENGTH_DIFFERS",
        slice.place,
        s"commit ${slice.instant} wrote ${s.fileSizeInBytes} bytes, but the file has $bytes"
      )
    }
  }

  /** Returns the number of rows that the commit recorded; None if it recorded no file size. */
  def rows(slice: FileSlice): Option[Long] =
    stat(slice).filter(_.fileSizeInBytes > 0).map(_.numWrites)

  /** Returns findings for files that the commits wrote and that are gone.
    * @param there  paths of all files, relative to the table
    * @param slices slices that a reader takes */
  def missing(there: Set[String], slices: Seq[FileSlice]): Seq[Finding] = {
    val read = slices.map(s => FileGroupRef(s.partition, s.fileId) -> s).toMap
    expected.toSeq.filterNot(e => there(e._2._2.path.stripPrefix("/"))).map { e =>
      val (instant, stat) = e._2
      val instead = read.get(e._1).fold("readers do not see its rows")(s =>
        s"readers use ${s.fileName} instead"
      )
      Finding.error(
        "FILE_MISSING",
        stat.path,
        s"commit $instant wrote this file, but it does not exist; $instead"
      )
    }
  }

  private def stat(slice: FileSlice): Option[WriteStat] =
    stats.get(slice.instant).flatMap(_.get(slice.fileName))

  private def unlisted(slice: FileSlice): Option[Finding] =
    Option.when(stats.contains(slice.instant) && stat(slice).isEmpty) {
      Finding.error(
        "FILE_NOT_IN_COMMIT",
        slice.place,
        s"readers use this file, but commit ${slice.instant} does not list it"
      )
    }

  private def buckets(
      partition: String,
      slices: Seq[FileSlice],
      numBuckets: Int
  ): Seq[Finding] = {
    val byBucket = slices.groupBy(s => FileId.bucketOf(s.fileId))
    byBucket.toSeq.flatMap {
      case (Some(bucket), several) if bucket < numBuckets =>
        Option.when(several.size > 1)(forked(partition, bucket, several)).toSeq
      case (prefix, several) =>
        several.map { slice =>
          val found =
            prefix.fold("its name contains no bucket")(b => s"its name contains bucket $b")
          Finding.error(
            "BUCKET_OUT_OF_RANGE",
            slice.place,
            s"$found, but the table has $numBuckets buckets"
          )
        }
    }
  }

  private def forked(partition: String, bucket: Int, slices: Seq[FileSlice]): Finding =
    Finding.error(
      "DUPLICATE_BUCKET",
      partition,
      s"bucket $bucket has ${slices.size} file groups: " +
        slices.map(s => s"${s.fileName} (${s.length} bytes)").sorted.mkString(", ")
    )
}
