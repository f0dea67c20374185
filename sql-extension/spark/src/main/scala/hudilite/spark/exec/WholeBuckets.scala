package hudilite.spark.exec

import org.apache.spark.rdd.{PartitionCoalescer, PartitionGroup, RDD}
import org.apache.spark.sql.catalyst.InternalRow

/** Rows that lie by bucket, in at most so many tasks, each with all that it has of its buckets (driver
  * side).
  *
  * @param units partitions of the rows that one task must have together
  */
final class WholeBuckets(units: Seq[Seq[Int]]) extends PartitionCoalescer with Serializable {

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

object WholeBuckets {

  /** @param most tasks
    * @param keys what tells the unit of each partition of the rows */
  def of(rows: RDD[InternalRow], keys: Seq[Any], most: Int): RDD[InternalRow] = {
    val units = keys.zipWithIndex.groupMap(_._1)(_._2).values.toSeq.sortBy(_.head)
    if (units.size == keys.size && keys.size <= most) rows
    else rows.coalesce(most, shuffle = false, Some(new WholeBuckets(units)))
  }
}
