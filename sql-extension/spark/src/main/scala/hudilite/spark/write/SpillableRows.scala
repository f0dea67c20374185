package hudilite.spark.write

import org.apache.spark.sql.execution.ExternalAppendOnlyUnsafeRowArray
import org.apache.spark.sql.internal.SQLConf

/** Buffers of rows of a task, in memory while the rows are few (task side). */
object SpillableRows {

  /** Returns an empty buffer, which spills by the same settings as Spark's window functions. */
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
