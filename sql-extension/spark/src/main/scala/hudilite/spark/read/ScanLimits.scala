package hudilite.spark.read

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf

/** Spark's settings for the size of the input partitions of files (driver side).
  * @param mostBytes bytes that an input partition should not exceed
  * @param openBytes bytes that cost as much as opening a file
  * @param least     least number of input partitions of a read that is large enough
  * @param cores     number of tasks that run at a time
  * @param most      greatest number of input partitions, if there is one */
private[read] final case class ScanLimits(
    mostBytes: Long,
    openBytes: Long,
    least: Int,
    cores: Int,
    most: Option[Int]
) {

  /** Returns the number of input partitions: that of Spark's own file sources. If it is above
    * that of cores, it is a multiple of it, so that no core waits while others read the last
    * ones.
    * @param bytes size of the read in bytes, with what opening its files costs */
  def tasks(bytes: Long): Int = {
    val bySize = ScanLimits.parts(bytes, mostBytes)
    val byCores = (bytes / openBytes.max(1)).min(least.toLong)
    val wanted = bySize.max(byCores).max(1)
    val even = if (wanted <= cores) wanted else ScanLimits.parts(wanted, cores.toLong) * cores
    even.min(most.getOrElse(Int.MaxValue).toLong).toInt
  }
}

private[read] object ScanLimits {

  /** Reads the session's settings. */
  def of(spark: SparkSession): ScanLimits = {
    val conf = spark.sessionState.conf
    val cores = conf.getConf(SQLConf.LEAF_NODE_DEFAULT_PARALLELISM)
      .getOrElse(spark.sparkContext.defaultParallelism)
    ScanLimits(
      conf.filesMaxPartitionBytes,
      conf.filesOpenCostInBytes.min(conf.filesMaxPartitionBytes / 4), // else small ones cut no file
      conf.filesMinPartitionNum.getOrElse(cores),
      cores,
      conf.filesMaxPartitionNum
    )
  }

  private def parts(whole: Long, most: Long): Long = (whole + most - 1) / most
}
