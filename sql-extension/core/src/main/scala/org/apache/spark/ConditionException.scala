package org.apache.spark

/** Bridge to the private[spark] class SparkRuntimeException, which PySpark shows with its condition
  * and SQLSTATE. Spark's constructor accepts only Spark's own conditions, so this parent class gets
  * the text alone.
  * @param text  message without condition and SQLSTATE
  * @param cause exception that was thrown first, or null */
abstract class ConditionException(text: String, cause: Throwable)
    extends SparkRuntimeException(
      errorClass = "INTERNAL_ERROR",
      messageParameters = Map("message" -> text),
      cause = cause,
      context = Array.empty[QueryContext],
      summary = ""
    )
