package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.CheckInvariant
import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  Filter,
  LogicalPlan,
  OverwriteByExpression,
  OverwritePartitionsDynamic,
  V2WriteCommand
}

/** Extractor of Spark's write commands whose target is a hudilite table. */
private[analyze] object WriteTo {

  /** @return the write command and its target */
  def unapply(plan: LogicalPlan): Option[(V2WriteCommand, HudiliteTarget)] = plan match {
    case write: V2WriteCommand =>
      HudiliteTarget.unapply(write.table).map(target => (withoutChecks(write), target))
    case _ => None
  }

  /** Returns the options of a write. */
  def options(write: V2WriteCommand): Map[String, String] = write match {
    case append: AppendData => append.writeOptions
    case overwrite: OverwriteByExpression => overwrite.writeOptions
    case partitions: OverwritePartitionsDynamic => partitions.writeOptions
    case _ => Map.empty
  }

  /** Removes the CHECK constraints that Spark has added to the rows: [[CheckRows]] adds those of every
    * statement. */
  private def withoutChecks(write: V2WriteCommand): V2WriteCommand = write.query match {
    case Filter(condition, rows) if condition.exists(_.isInstanceOf[CheckInvariant]) =>
      write.withNewQuery(rows)
    case _ => write
  }
}
