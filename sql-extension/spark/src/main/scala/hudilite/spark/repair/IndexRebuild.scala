package hudilite.spark.repair

import org.apache.hadoop.conf.Configuration
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.SerializableConfiguration

import hudilite.error.HudiliteException
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.rewrite.{BaseFileRewriter, RewriteCommit}
import hudilite.spark.verify.{FileFooter, RowCheckFacts, StoredRows}
import hudilite.timeline.FileGroupRef
import hudilite.verify.TableCheck
import hudilite.view.FileSlice

/** Check of the base files of a table without buckets, and rewrite of those with a fault. Runs on
  * the driver; tasks read footers and keys and write the new base files.
  * @param slices latest slices of the file groups to check */
final class IndexRebuild(
    session: SparkSession,
    table: HudiliteTable,
    slices: Seq[FileSlice]
) {
  private val context = session.sparkContext
  private lazy val facts =
    RowCheckFacts.of(session, table.config, table.snapshot.view, table.schema)

  /** Checks the files and rewrites those with a fault.
    * @param readsKeys whether the keys of all rows are read, or only footers
    * @return new files in the order of partition and file id, each with the code of its fault
    * Errors: HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE; those of a commit. */
  def run(readsKeys: Boolean): Seq[(FileGroupResult, String)] =
    if (slices.isEmpty) Nil
    else {
      val superseded =
        Option.when(readsKeys)(new SupersededRows(session, table, slices, facts.isGlobal))
      try {
        val holders = superseded.fold(Set.empty[Int])(_.holders)
        val codes = holders.map(_ -> IndexRebuild.duplicateKey).toMap ++
          footerFaults(readsKeys) // a fault of the footer takes precedence
        val faulty = codes.keys.toSeq.sortBy(n => (slices(n).partition, slices(n).fileId))
        if (faulty.isEmpty) Nil else rewrite(faulty, superseded).zip(faulty.map(codes))
      } finally superseded.foreach(_.release())
    }

  private def footerFaults(readsKeys: Boolean): Map[Int, String] = {
    val conf = context.broadcast(
      new SerializableConfiguration(session.sessionState.newHadoopConf())
    )
    val tasks = math.min(slices.size, context.defaultParallelism * IndexRebuild.tasksPerCore)
    val numbered = context.parallelize(slices.zipWithIndex, tasks)
    IndexRebuild.faulty(numbered, conf, Option.when(readsKeys)(facts)).collect().toMap
  }

  /** Rewrites files in one commit, with one task per file group. If rows were compared across
    * files, the commit depends on all file groups that were compared: a concurrent commit to one of
    * them is a conflict.
    * @param numbers indexes of the files in `slices` */
  private def rewrite(
      numbers: Seq[Int],
      superseded: Option[SupersededRows]
  ): Seq[FileGroupResult] = {
    val files = numbers.map(slices)
    val touched = files.map(IndexRebuild.ref).toSet
    val compared = superseded.fold(Set.empty[FileGroupRef])(_ => slices.map(IndexRebuild.ref).toSet)
    val none = Seq.fill(files.size)(Set.empty[String])
    val without = superseded.fold(context.parallelize(none, files.size))(_.of(numbers))
    new RewriteCommit(session, table, "UPSERT", Map.empty)
      .commit(files.map(_.partition).distinct, touched, compared -- touched) { rewrite =>
        IndexRebuild.copied(context.parallelize(files, files.size), without, rewrite)
      }
  }
}

object IndexRebuild {

  /** Code of a file with a key of which another file has the latest row. */
  private val duplicateKey = "DUPLICATE_KEY"

  private val tasksPerCore = 4

  private def ref(slice: FileSlice) = FileGroupRef(slice.partition, slice.fileId)

  private def faulty(
      slices: RDD[(FileSlice, Int)],
      conf: Broadcast[SerializableConfiguration],
      rows: Option[RowCheckFacts]
  ): RDD[(Int, String)] = slices.flatMap { case (slice, number) =>
    fault(slice, conf.value.value, rows).map(number -> _)
  }

  private def fault(
      slice: FileSlice,
      conf: Configuration,
      rows: Option[RowCheckFacts]
  ): Option[String] = {
    val file = new TableCheck.CheckedSlice(slice, None)
    FileFooter.read(file, conf) match {
      case Right(footer) =>
        rows.fold(footer.indexFault(file))(f => footer.keyFault(file, StoredRows.keys(f, file)))
      case Left(unreadable) =>
        throw HudiliteException(
          "HUDILITE_CORRUPT_DATA_FILE",
          "path" -> slice.path.toString,
          "reason" -> unreadable.detail
        )
    }
  }

  /** Copies each file without some of its rows, in tasks.
    * @param without for each file, the keys whose rows are dropped */
  private def copied(
      files: RDD[FileSlice],
      without: RDD[Set[String]],
      rewrite: BaseFileRewriter
  ): RDD[FileGroupResult] = files.zipPartitions(without) { (slices, keys) =>
    slices.zip(keys).map { case (slice, gone) =>
      rewrite.copy(slice, gone.map(UTF8String.fromString))
    }
  }
}
