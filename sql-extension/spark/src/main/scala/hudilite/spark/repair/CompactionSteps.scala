package hudilite.spark.repair

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import hudilite.spark.catalog.{CallText, HudiliteTable}
import hudilite.spark.merge.FileGroupResult
import hudilite.view.FileSlice

/** Compaction of a merge-on-read table in steps, beside other writers (driver side). A step has
  * whole partitions: as many as give each core a few file groups, and one for each commit where
  * other writers come in between.
  * @param open   opens the table as it is then
  * @param where  condition on the partition columns, as text; None: all partitions
  * @param wanted the same condition
  * @param least  number of log files from which on a file group is rewritten */
final class CompactionSteps(
    session: SparkSession,
    open: () => HudiliteTable,
    where: Option[String],
    wanted: InternalRow => Boolean,
    least: Int
) {

  /** Compacts the table.
    * @param table as it is when the call begins
    * @return the new files, each with the slice that it replaces
    * Errors: HUDILITE_PARTLY_COMMITTED; HUDILITE_UNSUPPORTED_TABLE while a table service of stock
    * Hudi is pending; those of [[Compaction.commit]]. */
  def run(table: HudiliteTable): Seq[(FileGroupResult, FileSlice)] = {
    check(table)
    val columns = StructType(table.config.partitionFields.map(table.schema(_)))
    val chosen = Compaction.chosen(table, columns, wanted, least)
    new PartitionSteps(session, "compact", table, open, _ => call(table))(commit)
      .run(steps(chosen))
  }

  private def commit(
      table: HudiliteTable,
      partitions: Seq[String]
  ): Seq[(FileGroupResult, FileSlice)] = {
    check(table)
    val slices = partitions.flatMap(table.snapshot.slices).filter(_.logs.size >= least)
    Compaction.commit(session, table, slices).zip(slices)
  }

  private def check(table: HudiliteTable): Unit = {
    table.snapshot.checkNothingPlanned()
    table.snapshot.checkBucketRules()
  }

  private def steps(slices: Seq[FileSlice]): Seq[Seq[String]] = {
    val enough = session.sparkContext.defaultParallelism * CompactionSteps.ofCore
    val counts = slices.groupMapReduce(_.partition)(_ => 1)(_ + _)
    slices.map(_.partition).distinct.foldLeft(Vector.empty[(Vector[String], Int)]) {
      case (before :+ (step -> count), partition) if count < enough =>
        before :+ (step :+ partition) -> (count + counts(partition))
      case (all, partition) => all :+ (Vector(partition) -> counts(partition))
    }.map(_._1)
  }

  /** Returns the same call: what is done has no log files any more. */
  private def call(table: HudiliteTable): String =
    CallText.of(
      table,
      "compact",
      where.map("where" -> _).toSeq ++ Option.when(least > 1)("min_log_files" -> least): _*
    )
}

private object CompactionSteps {

  /** File groups for each core from which on a step gets no more partitions: enough to keep all of
    * them busy, and few enough that a conflict costs little. */
  private val ofCore = 4
}
