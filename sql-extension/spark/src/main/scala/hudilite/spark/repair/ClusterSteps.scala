package hudilite.spark.repair

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import hudilite.spark.catalog.{CallText, HudiliteTable}
import hudilite.spark.error.InvalidArgument
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.plan.FileSizes
import hudilite.view.FileSlice

/** Clustering of a table without buckets in steps, beside other writers (driver side). Each
  * partition is one commit. They are taken in the order of their values, so that a condition
  * selects those that are left.
  * Source: decision 0026.
  * @param open opens the table as it is then */
final class ClusterSteps(
    session: SparkSession,
    open: () => HudiliteTable,
    asked: ClusterSteps.Asked
) {
  import ClusterSteps._

  /** Returns the partitions whose files change.
    * Errors: HUDILITE_ARGUMENT_INVALID for columns by which rows cannot be sorted, and for a size
    * that makes too many files; HUDILITE_UNSUPPORTED_TABLE while a table service of stock Hudi is
    * pending. */
  def plans(table: HudiliteTable): Seq[Clustering.Plan] = {
    orderOf(table): Unit
    val columns = columnsOf(table)
    val paths = new PartitionOrder(table.config, columns)
      .sorted(SlicesOf.paths(table, columns, asked.wanted))
    val slices = table.snapshot.slicesOf(paths).groupBy(_.partition)
    val plans = paths.flatMap(path => planOf(table, path, slices.getOrElse(path, Nil)))
    checkFiles(table, plans)
    table.snapshot.checkNothingPlanned()
    plans
  }

  /** Clusters the table.
    * @param table as it is when the call begins
    * @return the new files of each partition that has changed
    * Errors: those of [[plans]] and of [[Clustering.commit]]; HUDILITE_PARTLY_COMMITTED. */
  def run(table: HudiliteTable): Seq[Done] =
    new PartitionSteps(session, procedure, table, open, left => call(table, left.head))(commit)
      .run(plans(table).map(plan => Seq(plan.partition)))

  private def commit(table: HudiliteTable, partitions: Seq[String]): Seq[Done] =
    partitions.flatMap(path => planOf(table, path, table.snapshot.slices(path))).map { plan =>
      table.snapshot.checkNothingPlanned()
      Done(plan, Clustering.commit(session, table, orderOf(table), plan))
    }

  private def planOf(
      table: HudiliteTable,
      partition: String,
      slices: Seq[FileSlice]
  ): Option[Clustering.Plan] =
    if (asked.packs) Clustering.ofSmallFiles(partition, slices, targetOf(table))
    else Clustering.plan(partition, slices, targetOf(table))

  private def orderOf(table: HudiliteTable): ClusterOrder =
    if (asked.packs) ClusterOrder.byKey
    else
      ClusterOrder.of(table, asked.columns, asked.isZOrder)(
        InvalidArgument(procedure, asked.argument, asked.columnsText, _)
      )

  private def columnsOf(table: HudiliteTable): StructType =
    StructType(table.config.partitionFields.map(table.schema(_)))

  private def targetOf(table: HudiliteTable): Long =
    asked.target.getOrElse(FileSizes.maxSize(session.sessionState.conf, table.config.properties))

  private def checkFiles(table: HudiliteTable, plans: Seq[Clustering.Plan]): Unit =
    if (plans.map(_.files.toLong).sum > Clustering.mostFiles)
      throw InvalidArgument(
        procedure,
        "target_file_size",
        asked.targetText.getOrElse(targetOf(table).toString),
        s"It makes more than ${Clustering.mostFiles} files. Write a larger size, or choose " +
          "partitions."
      )

  /** Returns the statement that clusters a partition and those after it. */
  private def call(table: HudiliteTable, partition: String): String = {
    val left = new PartitionOrder(table.config, columnsOf(table)).from(partition)
    val where = (asked.where, left) match {
      case (Some(condition), Some(more)) => Some(s"($condition) AND $more")
      case (condition, more) => condition.orElse(more)
    }
    val others = where.map("partitions" -> _) ++ asked.targetText.map("target_file_size" -> _)
    if (asked.packs) s"OPTIMIZE ${table.name}${where.map(" WHERE " + _).mkString}"
    else CallText.of(table, procedure, (asked.argument -> asked.columnsText) +: others.toSeq: _*)
  }
}

object ClusterSteps {
  private val procedure = "cluster"

  /** Arguments of a call.
    * @param columns     parts of the names of columns; Nil: small files alone are put together
    * @param columnsText the same names, as text
    * @param isZOrder    see [[ClusterOrder]]
    * @param where       condition on the partition columns, as text; None: all partitions
    * @param wanted      the same condition
    * @param target      size in bytes that new files should have; None: that of the session or
    *                    table
    * @param targetText  the same size, as text */
  final case class Asked(
      columns: Seq[Seq[String]],
      columnsText: String,
      isZOrder: Boolean,
      where: Option[String],
      wanted: InternalRow => Boolean,
      target: Option[Long] = None,
      targetText: Option[String] = None
  ) {

    /** Whether small files are put together, in the order of the record key; or else all files are
      * sorted by the columns. */
    private[repair] def packs: Boolean = columns.isEmpty

    /** Name of the argument with the columns. */
    private[repair] def argument: String = if (isZOrder) "zorder" else "order_by"
  }

  /** Returns names of columns as the text of an argument. */
  def textOf(columns: Seq[Seq[String]]): String =
    columns.map(_.map(quoteIfNeeded).mkString(".")).mkString(", ")

  /** New files of a partition. */
  final case class Done(plan: Clustering.Plan, files: Seq[FileGroupResult])
}
