package hudilite.spark.locate

import org.apache.spark.rdd.{PartitionCoalescer, PartitionGroup, RDD}
import org.apache.spark.sql.catalyst.InternalRow

/** Coalescer that merges partitions of rows into at most a given number of tasks and keeps all
  * partitions of a bucket in one task (driver side).
  *
  * @param units partition numbers that one task must read together
  */
final class BucketCoalescer(units: Seq[Seq[Int]]) extends PartitionCoalescer with Serializable {

  override def coalesce(most: Int, parent: RDD[_]): Array[PartitionGroup] = {
    val size = math.max(1, (units.size + most - 1) / most)
    units
      .grouped(size)
      .map { together =>
        val group = new PartitionGroup()
        group.partitions ++= together.flatten.map(parent.partitions(_))
        group
      }
      .toArray
  }
}

object BucketCoalescer {

  /** @param most maximum number of tasks
    * @param keys for each partition of the rows, a value; partitions with equal values stay
    *             together */
  def of(rows: RDD[InternalRow], keys: Seq[Any], most: Int): RDD[InternalRow] = {
    val units = keys.zipWithIndex.groupMap(_._1)(_._2).values.toSeq.sortBy(_.head)
    if (units.size == keys.size && keys.size <= most) rows
    else rows.coalesce(most, shuffle = false, Some(new BucketCoalescer(units)))
  }
}
