package hudilite.spark.error

import org.apache.spark.SparkThrowable

import hudilite.error.HudiliteException

/** Cancellation of Spark jobs by a user: a statement ends with it, whatever else it could do. */
private[spark] object Cancellation {

  /** Whether an error says that a job was cancelled. */
  def isIn(thrown: Throwable): Boolean = HudiliteException.causes(thrown).exists {
    case e: SparkThrowable => e.getCondition == "SPARK_JOB_CANCELLED"
    case _ => false
  }
}
