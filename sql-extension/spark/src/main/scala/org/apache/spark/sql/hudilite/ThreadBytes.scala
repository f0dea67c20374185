package org.apache.spark.sql.hudilite

import org.apache.spark.deploy.SparkHadoopUtil

/** Bridge to what Spark's own scans tell as their input bytes
  * (`SparkHadoopUtil.getFSBytesReadOnThreadCallback`), which is private to Spark's packages. */
object ThreadBytes {

  /** @return tells how many bytes this thread has read from Hadoop's file systems since the call, by
    *         Hadoop's statistics */
  def readFromNow(): () => Long = SparkHadoopUtil.get.getFSBytesReadOnThreadCallback()
}
