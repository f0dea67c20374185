package hudilite.spark.read

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** Physical plan rule that splits a read by size if no operator of its stage requires its
  * partitioning by bucket, because a task for each bucket has a cost. Runs on the driver.
  *
  * Since Spark 4.2 a separate operator combines the input partitions of reads by their keys, which
  * Spark adds only above the two sides of a join. So unlike in Spark 4.1, no other read loses input
  * partitions.
  */
object UngroupScans extends StageReads {

  override protected def replaceUngrouped(read: BatchScanExec): SparkPlan =
    scanOf(read).flatMap(_.withoutGroups).fold[SparkPlan](read) { cut =>
      val made = read.copy(scan = cut, keyGroupedPartitioning = None)
      made.copyTagsFrom(read)
      made
    }

  override protected def replaceGrouped(all: Seq[BatchScanExec]): BatchScanExec => SparkPlan =
    identity
}
