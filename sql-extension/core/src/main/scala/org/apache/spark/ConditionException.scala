package org.apache.spark

/** Bridge to the private[spark] class SparkRuntimeException, which PySpark shows with its condition
  * and SQLSTATE. Spark's constructor takes only conditions that Spark knows, so the parent carries
  * the bare text.
  * @param text  message without condition and SQLSTATE
  * @param cause what was thrown first, or null */
abstract class ConditionException(text: String, cause: Throwable)
    extends SparkRuntimeException(
      errorClass = "INTERNAL_ERROR",
      messageParameters = Map("message" -> text),
      cause = cause,
      context = Array.empty[QueryContext],
      summary = ""
    )
