package hudilite.spark.bootstrap

import scala.collection.mutable

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.FilePartition

/** Distribution of source files over tasks. As in a Spark scan, a file costs its bytes plus
  * `spark.sql.files.openCostInBytes`. */
object FileBins {

  /** Returns the files of each task. The number of tasks is a multiple of the default parallelism,
    * capped by `parallelism` and by the number of files. Expensive files are assigned first, each
    * to the task with the lowest cost so far. */
  def of(
      session: SparkSession,
      files: Seq[PlacedFile],
      parallelism: Option[Int]
  ): Seq[Seq[PlacedFile]] = {
    val openCost = session.sessionState.conf.filesOpenCostInBytes
    def cost(file: PlacedFile) = file.length + openCost
    val total = files.map(cost).sum
    val cores = session.sparkContext.defaultParallelism.toLong
    val wanted = (total / FilePartition.maxSplitBytes(session, total) / cores + 1) * cores
    val most = parallelism.getOrElse(Int.MaxValue).min(files.size)
    val bins = Array.fill(wanted.min(most.toLong).toInt)(mutable.ArrayBuffer.empty[PlacedFile])
    val least = mutable.PriorityQueue.empty[(Long, Int)](Ordering[(Long, Int)].reverse)
    bins.indices.foreach(i => least.enqueue((0L, i)))
    files.sortBy(file => (-cost(file), file.ordinal)).foreach { file =>
      val (filled, bin) = least.dequeue()
      bins(bin) += file
      least.enqueue((filled + cost(file), bin))
    }
    bins.toSeq.map(_.sortBy(_.ordinal).toSeq)
  }
}
