package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, V2WriteCommand}

/** Extractor of Spark's write commands whose target is a hudilite table. */
private[analyze] object WriteTo {

  /** @return the write command and its target
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE for INSERT WITH SCHEMA EVOLUTION. */
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
