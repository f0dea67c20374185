package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  InsertIntoStatement,
  OverwriteByExpression,
  OverwritePartitionsDynamic,
  V2WriteCommand
}

/** The mark WITH SCHEMA EVOLUTION of INSERT in Spark's own nodes, which Spark has since 4.2. */
private[analyze] object EvolvingWrites {
  def apply(insert: InsertIntoStatement): Boolean = insert.withSchemaEvolution
  def apply(write: V2WriteCommand): Boolean = write.withSchemaEvolution

  /** Returns the statement without the mark. */
  def settled(insert: InsertIntoStatement): InsertIntoStatement =
    insert.copy(withSchemaEvolution = false)

  def settled(write: V2WriteCommand): V2WriteCommand = write match {
    case append: AppendData => append.copy(withSchemaEvolution = false)
    case overwrite: OverwriteByExpression => overwrite.copy(withSchemaEvolution = false)
    case partitions: OverwritePartitionsDynamic => partitions.copy(withSchemaEvolution = false)
    case other => other
  }
}
