package hudilite.spark.repair

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.MetaColumns
import hudilite.spark.read.{SliceReader, SliceReaderFactory}
import hudilite.view.FileSlice

/** Ranges of the rows of a partition, each of which becomes a file. */
final private[repair] class NewFileRanges(key: SortKey, ranges: RowRanges) extends Serializable {

  /** Number of files. */
  def count: Int = ranges.count

  /** Returns the number of the file that gets a row, from 0.
    * @param row with the columns of [[ClusterOrder.schema]] */
  def fileOf(row: InternalRow): Int = ranges.of(key.of(row))
}

private[repair] object NewFileRanges {

  /** Sampled rows of a new file, and least number of those of a slice: as in Spark's own partitioning
    * by range, whose sample also has three times the rows that it needs. */
  private val ofFile = 300
  private val ofSlice = 1000

  /** Most sampled rows of all slices, as in Spark's own partitioning by range. */
  private val mostRows = 1000000

  /** Most bytes of the sampled rows of all slices, as far as each slice has one row. */
  private val mostBytes = 64L << 20

  /** Returns the ranges of a partition. Runs on the driver; one job reads the columns of the order
    * and the record key, if the partition gets more than one file.
    * Errors: those of a scan. */
  def of(
      session: SparkSession,
      table: HudiliteTable,
      order: ClusterOrder,
      plan: Clustering.Plan
  ): NewFileRanges = {
    val rows = if (plan.files > 1) sample(session, table, order, plan) else Nil
    val key = new SortKey.Factory(order).of(rows)
    val keyed = rows.map { case (row, weight) => key.of(row) -> weight }
    new NewFileRanges(key, RowRanges.of(keyed, plan.files, key.ordering))
  }

  private def sample(
      session: SparkSession,
      table: HudiliteTable,
      order: ClusterOrder,
      plan: Clustering.Plan
  ): Seq[RowRanges.Weighted] = {
    val factory = SliceReader.factory(
      session,
      table.config,
      MetaColumns.before(table.schema),
      order.schema,
      Array.empty,
      strict = true,
      logs = Some(table.snapshot)
    )
    val slices = session.sparkContext.parallelize(plan.slices, plan.slices.size)
    val each = ofFile.toLong * plan.files / plan.slices.size
    val most = each.max(ofSlice).min(mostRows / plan.slices.size).max(1).toInt
    sampled(slices, factory, order.schema, most, mostBytes / plan.slices.size).collect().toSeq
      .flatMap { case (rows, count) => rows.map(_ -> count.toFloat / rows.length) }
  }

  /** Samples the rows of each slice, in tasks. It is in the object so that tasks do not serialize a
    * class.
    * @return the sampled rows of each slice, and the number of its rows */
  private def sampled(
      slices: RDD[FileSlice],
      factory: SliceReaderFactory,
      schema: StructType,
      most: Int,
      mostBytes: Long
  ): RDD[(Array[InternalRow], Long)] = slices.mapPartitionsWithIndex { (index, of) =>
    val projection = UnsafeProjection.create(schema)
    val sample = new RowSample(most, mostBytes, seed = index)
    of.flatMap(SliceRows.of(factory, _)).foreach(row => sample.add(projection(row)))
    Iterator(sample.rows.toArray[InternalRow] -> sample.count)
  }
}
