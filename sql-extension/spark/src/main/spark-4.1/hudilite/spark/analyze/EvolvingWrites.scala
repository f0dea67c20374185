package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical.{InsertIntoStatement, V2WriteCommand}

/** The mark WITH SCHEMA EVOLUTION of INSERT in Spark's own nodes: Spark 4.1 has none. */
private[analyze] object EvolvingWrites {
  def apply(insert: InsertIntoStatement): Boolean = false
  def apply(write: V2WriteCommand): Boolean = false

  /** Returns the statement without the mark. */
  def settled(insert: InsertIntoStatement): InsertIntoStatement = insert
  def settled(write: V2WriteCommand): V2WriteCommand = write
}
