package hudilite.spark.read

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, DataSourceV2ScanRelation}

/** Physical plan rule that restores the link from a read to its logical relation. Spark drops the
  * link of a read when it passes it the partition keys of a join; adaptive execution then cannot
  * broadcast such a read alone. Runs on the driver.
  */
object LinkReads extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = {
    val unlinked = plan.collect { case read: BatchScanExec if read.logicalLink.isEmpty => read }
    if (unlinked.nonEmpty) {
      val relations = LazyList
        .from(plan.collect { case node if node.logicalLink.nonEmpty => node })
        .flatMap(_.logicalLink)
        .flatMap(_.collect { case relation: DataSourceV2ScanRelation => relation })
      for {
        read <- unlinked
        relation <- relations.find(found =>
          (found.scan eq read.scan) && found.output == read.output
        )
      } read.setLogicalLink(relation)
    }
    plan
  }
}
