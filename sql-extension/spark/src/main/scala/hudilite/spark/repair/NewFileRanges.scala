package hudilite.spark.repair

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.hudilite.SampledRows
import org.apache.spark.sql.types.StructType

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.MetaColumns
import hudilite.spark.read.{SliceReader, SliceReaderFactory}
import hudilite.view.FileSlice

/** Ranges of the rows of one partition, each of which becomes a file.
  * @param first number of the first file, among those of all partitions */
final private[repair] class NewFileRanges(first: Int, key: SortKey, ranges: RowRanges)
    extends Serializable {

  /** Number of files. */
  def count: Int = ranges.count

  /** Returns the number of the file that gets a row.
    * @param row with the columns of [[ClusterOrder.schema]] */
  def fileOf(row: InternalRow): Int = first + ranges.of(key.of(row))
}

private[repair] object NewFileRanges {

  /** Sampled rows of a new file, and least number of those of a slice: as in Spark's own partitioning
    * by range, whose sample also has three times the rows that it needs. */
  private val ofFile = 300
  private val ofSlice = 1000

  /** Most sampled rows of all slices. */
  private val most = 1000000

  /** Returns the ranges of each partition. Runs on the driver; one job reads the columns of the order
    * and the record key, if a partition gets more than one file.
    * @param plans partitions in the order of the result
    * Errors: those of a scan. */
  def of(
      session: SparkSession,
      table: HudiliteTable,
      order: ClusterOrder,
      plans: Seq[Clustering.Plan]
  ): Seq[NewFileRanges] = {
    val keys = new SortKey.Factory(order)
    val sampled = sample(session, table, order, plans.filter(_.files > 1))
    plans.foldLeft(Vector.empty[NewFileRanges] -> 0) { case ((all, first), plan) =>
      val rows = sampled.getOrElse(plan.partition, Nil)
      val key = keys.of(rows)
      val keyed = rows.map { case (row, weight) => key.of(row) -> weight }
      val ranges = new NewFileRanges(first, key, RowRanges.of(keyed, plan.files, key.ordering))
      (all :+ ranges) -> (first + ranges.count)
    }._1
  }

  /** Returns sampled rows by partition. */
  private def sample(
      session: SparkSession,
      table: HudiliteTable,
      order: ClusterOrder,
      plans: Seq[Clustering.Plan]
  ): Map[String, Seq[RowRanges.Weighted]] = {
    val slices = plans.flatMap(_.slices).toIndexedSeq
    if (slices.isEmpty) Map.empty
    else {
      val factory = SliceReader.factory(
        session,
        table.config,
        MetaColumns.before(table.schema),
        order.schema,
        Array.empty,
        strict = true,
        logs = Some(table.snapshot)
      )
      val each = ofFile.toLong * plans.map(_.files.toLong).sum / slices.size
      val rows = read(session.sparkContext.parallelize(slices, slices.size), factory, order.schema)
      SampledRows.of(rows, each.max(ofSlice).min(most / slices.size).max(1).toInt)
        .flatMap { case (slice, count, found) =>
          found.map(row => slices(slice).partition -> (row -> count.toFloat / found.length))
        }
        .groupMap(_._1)(_._2)
    }
  }

  /** Reads copies of the rows, in tasks. It is in the object so that tasks do not serialize a class. */
  private def read(
      slices: RDD[FileSlice],
      factory: SliceReaderFactory,
      schema: StructType
  ): RDD[InternalRow] = slices.mapPartitions { of =>
    val projection = UnsafeProjection.create(schema)
    of.flatMap(SliceRows.of(factory, _)).map(row => projection(row).copy())
  }
}
