package hudilite.spark.error

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException

class AnalysisErrorsSuite extends AnyFunSuite {

  test("an error of analysis carries condition, SQLSTATE, parameters and the text with the fix") {
    val e = AnalysisErrors.of("HUDILITE_BUCKET_COUNT_INVALID", "value" -> "0")
    assert(e.getCondition == "HUDILITE_BUCKET_COUNT_INVALID" && e.getSqlState == "42616")
    assert(e.getMessageParameters == Map("value" -> "0").asJava)
    assert(e.getDefaultMessageTemplate.contains("<value>") && e.getQueryContext.isEmpty)
    assert(
      e.getMessage == "[HUDILITE_BUCKET_COUNT_INVALID] A table cannot have 0 buckets. " +
        "Write a whole number from 1 to 100000. SQLSTATE: 42616"
    )
  }

  test("an error of core becomes one of analysis and stays its cause") {
    val cause = HudiliteException("HUDILITE_BUCKET_COUNT_INVALID", "value" -> "x")
    val e = AnalysisErrors.of(cause)
    assert(e.getMessage == cause.getMessage && e.getCause.eq(cause))
  }
}
