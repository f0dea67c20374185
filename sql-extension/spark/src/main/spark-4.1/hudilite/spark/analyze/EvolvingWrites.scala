package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand

/** Whether a write is INSERT WITH SCHEMA EVOLUTION: always false, because Spark 4.1 has none. */
private[analyze] object EvolvingWrites {
  def apply(write: V2WriteCommand): Boolean = false
}
