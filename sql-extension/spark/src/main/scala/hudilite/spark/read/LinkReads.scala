package hudilite.spark.read

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, DataSourceV2ScanRelation}

/** Tells adaptive execution which relation a read comes from. Spark forgets it of the reads that it
  * tells of their groups, and then cannot broadcast one of them by itself.
  */
object LinkReads extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = {
    val forgotten = plan.collect { case read: BatchScanExec if read.logicalLink.isEmpty => read }
    if (forgotten.nonEmpty) {
      val relations = LazyList
        .from(plan.collect { case node if node.logicalLink.nonEmpty => node })
        .flatMap(_.logicalLink)
        .flatMap(_.collect { case relation: DataSourceV2ScanRelation => relation })
      for {
        read <- forgotten
        relation <- relations.find(found =>
          (found.scan eq read.scan) && found.output == read.output
        )
      } read.setLogicalLink(relation)
    }
    plan
  }
}
