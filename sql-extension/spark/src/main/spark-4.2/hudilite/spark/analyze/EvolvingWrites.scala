package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand

/** Whether a write is INSERT WITH SCHEMA EVOLUTION, which Spark has since 4.2. */
private[analyze] object EvolvingWrites {
  def apply(write: V2WriteCommand): Boolean = write.withSchemaEvolution
}
