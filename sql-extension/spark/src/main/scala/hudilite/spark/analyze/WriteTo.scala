package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, V2WriteCommand}

/** A write of Spark's whose target is a hudilite table. */
private[analyze] object WriteTo {

  /** @return the write and its target
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE for one that would change the table's columns. */
  def unapply(plan: LogicalPlan): Option[(V2WriteCommand, HudiliteTarget)] = plan match {
    case write: V2WriteCommand =>
      HudiliteTarget.unapply(write.table).map { target =>
        if (EvolvingWrites(write))
          throw target.unsupported("INSERT WITH SCHEMA EVOLUTION",
            "Leave WITH SCHEMA EVOLUTION out.")
        (write, target)
      }
    case _ => None
  }
}
