package hudilite.spark.plan

import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  InsertIntoStatement,
  LogicalPlan,
  OverwriteByExpression,
  OverwritePartitionsDynamic,
  V2WriteCommand
}

/** The mark WITH SCHEMA EVOLUTION of an INSERT: a field of Spark's nodes since 4.2. */
private[spark] object EvolvingWrites {

  /** Whether Spark parses the clause. */
  val isInGrammar: Boolean = true

  def apply(write: LogicalPlan): Boolean = write match {
    case insert: InsertIntoStatement => insert.withSchemaEvolution
    case of: V2WriteCommand => of.withSchemaEvolution
    case _ => false
  }

  /** Returns the write with the mark. */
  def marked(write: LogicalPlan): LogicalPlan = write match {
    case insert: InsertIntoStatement => insert.copy(withSchemaEvolution = true)
    case append: AppendData => append.copy(withSchemaEvolution = true)
    case overwrite: OverwriteByExpression => overwrite.copy(withSchemaEvolution = true)
    case partitions: OverwritePartitionsDynamic => partitions.copy(withSchemaEvolution = true)
    case other => other
  }
}
