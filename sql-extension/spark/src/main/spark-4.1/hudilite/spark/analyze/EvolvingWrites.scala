package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand

/** Spark 4.1 has no INSERT WITH SCHEMA EVOLUTION. */
private[analyze] object EvolvingWrites {
  def apply(write: V2WriteCommand): Boolean = false
}
