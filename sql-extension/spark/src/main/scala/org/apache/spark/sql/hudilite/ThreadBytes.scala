package org.apache.spark.sql.hudilite

import org.apache.spark.deploy.SparkHadoopUtil

/** Counter of the bytes that a thread reads, as Spark's own scans report them. Bridge to
  * `SparkHadoopUtil.getFSBytesReadOnThreadCallback`, which is private to Spark's packages. */
object ThreadBytes {

  /** @return function that returns the bytes that this thread has read from Hadoop's file systems
    *         since this call, by Hadoop's statistics */
  def readFromNow(): () => Long = SparkHadoopUtil.get.getFSBytesReadOnThreadCallback()
}
