package hudilite.spark.locate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{KeyedPartitioning, Partitioning}

/** Partitioning in which all rows of a Spark partition share their key values, and no other
  * partition has rows with these values. Not related to Parquet's row groups.
  * @param expressions key expressions
  * @param keys        values of the expressions, one row for each Spark partition */
private[spark] final case class PartitionsByKey(expressions: Seq[Expression], keys: Seq[InternalRow])

private[spark] object PartitionsByKey {
  def unapply(partitioning: Partitioning): Option[PartitionsByKey] = partitioning match {
    case groups: KeyedPartitioning if groups.isGrouped =>
      Some(PartitionsByKey(groups.expressions, groups.partitionKeys.map(_.row)))
    case _ => None
  }
}
