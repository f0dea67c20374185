package hudilite.spark.exec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{KeyedPartitioning, Partitioning}

/** Rows that lie in groups, each of which is one partition.
  * @param expressions what the rows of a group have in common
  * @param keys        their values, by partition */
private[exec] final case class RowGroups(expressions: Seq[Expression], keys: Seq[InternalRow])

private[exec] object RowGroups {
  def unapply(partitioning: Partitioning): Option[RowGroups] = partitioning match {
    case groups: KeyedPartitioning if groups.isGrouped =>
      Some(RowGroups(groups.expressions, groups.partitionKeys.map(_.row)))
    case _ => None
  }
}
