package hudilite.spark.exec

import org.apache.spark.sql.execution.ExternalAppendOnlyUnsafeRowArray
import org.apache.spark.sql.internal.SQLConf

/** Rows that a task keeps, in memory while they are few (task side). */
object HeldRows {

  /** Spills as Spark's windows do. */
  def open(): ExternalAppendOnlyUnsafeRowArray = {
    val conf = SQLConf.get
    new ExternalAppendOnlyUnsafeRowArray(
      conf.windowExecBufferInMemoryThreshold,
      conf.windowExecBufferSpillSizeThreshold,
      conf.windowExecBufferSpillThreshold,
      conf.windowExecBufferSpillSizeThreshold
    )
  }
}
