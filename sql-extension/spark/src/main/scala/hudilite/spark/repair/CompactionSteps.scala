package hudilite.spark.repair

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import hudilite.spark.catalog.{CallText, HudiliteTable}
import hudilite.spark.merge.FileGroupResult
import hudilite.view.{FileSlice, TableSnapshot}

/** Compaction of a merge-on-read table in steps, beside other writers (driver side). A step has
  * whole partitions: as many as give each core a few file groups, and one for each commit where
  * other writers come in between.
  * @param open opens the table as it is then */
final class CompactionSteps(
    session: SparkSession,
    open: () => HudiliteTable,
    asked: CompactionSteps.Asked
) {

  /** Compacts the table.
    * @param table as it is when the call begins
    * @return the new files, each with the slice that it replaces
    * Errors: HUDILITE_PARTLY_COMMITTED; HUDILITE_UNSUPPORTED_TABLE while a table service of stock
    * Hudi is pending; those of [[Compaction.commit]]. */
  def run(table: HudiliteTable): Seq[(FileGroupResult, FileSlice)] = {
    check(table)
    val columns = StructType(table.config.partitionFields.map(table.schema(_)))
    val slices = SlicesOf.partitions(table, columns, asked.wanted)
    new PartitionSteps(session, asked.procedure, table, open, _ => asked.call(table))(commit)
      .run(steps(slices.filter(asked.isChosen(table.snapshot, _))))
  }

  private def commit(
      table: HudiliteTable,
      partitions: Seq[String]
  ): Seq[(FileGroupResult, FileSlice)] = {
    check(table)
    val slices = table.snapshot.slicesOf(partitions)
      .filter(asked.isChosen(table.snapshot, _))
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
}

object CompactionSteps {

  /** File groups for each core from which on a step gets no more partitions: enough to keep all of
    * them busy, and few enough that a conflict costs little. */
  private val ofCore = 4

  /** Arguments of a call.
    * @param procedure name of the procedure, for errors
    * @param wanted    partitions to choose from
    * @param isChosen  whether a slice of a snapshot is rewritten
    * @param call      returns the statement that rewrites what is left: a slice that was rewritten
    *                  is no longer chosen */
  final case class Asked(
      procedure: String,
      wanted: InternalRow => Boolean,
      isChosen: (TableSnapshot, FileSlice) => Boolean,
      call: HudiliteTable => String
  )

  /** Returns the arguments of the procedure `compact`.
    * @param where  condition on the partition columns, as text; None: all partitions
    * @param wanted the same condition
    * @param least  number of log files from which on a file group is rewritten */
  def byLogFiles(where: Option[String], wanted: InternalRow => Boolean, least: Int): Asked = {
    val others = where.map("where" -> _) ++ Option.when(least > 1)("min_log_files" -> least)
    Asked(
      "compact",
      wanted,
      (_, slice) => slice.logs.size >= least,
      CallText.of(_, "compact", others.toSeq: _*)
    )
  }

  /** Returns the arguments for a table that becomes copy-on-write: slices are rewritten if readers
    * of copy-on-write tables would not see all of their rows.
    * Source: decision 0022. */
  val beforeCopyOnWrite: Asked = Asked(
    "set_table_type",
    _ => true,
    (snapshot, slice) => !snapshot.isSeenAsCopyOnWrite(slice),
    CallText.of(_, "set_table_type", "type" -> "cow")
  )
}
