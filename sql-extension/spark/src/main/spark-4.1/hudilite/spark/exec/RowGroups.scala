package hudilite.spark.exec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{KeyGroupedPartitioning, Partitioning}

/** Partitioning in which all rows of a Spark partition share their key values, and no other
  * partition has rows with these values. Not related to Parquet's row groups.
  * @param expressions key expressions
  * @param keys        values of the expressions, one row for each Spark partition */
private[exec] final case class RowGroups(expressions: Seq[Expression], keys: Seq[InternalRow])

private[exec] object RowGroups {
  def unapply(partitioning: Partitioning): Option[RowGroups] = partitioning match {
    case groups: KeyGroupedPartitioning
        if !groups.isPartiallyClustered && groups.partitionValues.size == groups.numPartitions =>
      Some(RowGroups(groups.expressions, groups.partitionValues))
    case _ => None
  }
}
