package hudilite.spark.read

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** Cuts a read by size where no operator of its stage asks how its rows lie: a task for each bucket
  * would be a loss.
  *
  * Since Spark 4.2 an operator of its own puts a read's groups together, above the reads that are
  * joined alone.
  */
object UngroupScans extends StageReads {

  override protected def unasked(read: BatchScanExec): SparkPlan =
    scanOf(read).flatMap(_.withoutGroups).fold[SparkPlan](read) { cut =>
      val made = read.copy(scan = cut, keyGroupedPartitioning = None)
      made.copyTagsFrom(read)
      made
    }

  override protected def asked(all: Seq[BatchScanExec]): BatchScanExec => SparkPlan = identity
}
