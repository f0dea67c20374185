package hudilite.spark.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow

/** Tagged source rows of a statement in partitions that contain whole file groups.
  * @param rows in no order, unless `sort` changes nothing
  * @param sort sorts the rows of a partition, or some of them: whole file groups, each by record key
  *             (task side) */
final case class TaggedSource(
    rows: RDD[InternalRow],
    sort: Iterator[InternalRow] => Iterator[InternalRow]
) {
  def sorted: RDD[InternalRow] = {
    val order = sort
    rows.mapPartitions(order(_))
  }
}
