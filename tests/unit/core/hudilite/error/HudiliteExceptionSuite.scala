package hudilite.error

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

class HudiliteExceptionSuite extends AnyFunSuite {
  private val error = HudiliteException("HUDILITE_BUCKET_COUNT_INVALID", "value" -> "0")

  test("an error carries condition, SQLSTATE, parameters and the text with the fix") {
    val spark: SparkThrowable = error
    assert(spark.getCondition == "HUDILITE_BUCKET_COUNT_INVALID")
    assert(spark.getSqlState == "42616")
    assert(spark.getMessageParameters == Map("value" -> "0").asJava)
    assert(spark.getQueryContext.isEmpty && !spark.isInternalError)
    assert(
      error.getMessage == "[HUDILITE_BUCKET_COUNT_INVALID] A table cannot have 0 buckets. " +
        "Write a whole number from 1 to 100000. SQLSTATE: 42616"
    )
  }

  test("an error keeps its cause") {
    val cause = new RuntimeException("disk")
    val params = Map("table" -> "t", "instant" -> "1")
    assert(new HudiliteException("HUDILITE_COMMIT_STATE_UNKNOWN", params, cause).getCause eq cause)
    assert(Option(error.getCause).isEmpty)
  }

  test("an error comes whole out of a task") {
    val bytes = new ByteArrayOutputStream
    new ObjectOutputStream(bytes).writeObject(error)
    val read = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject()
    read match {
      case e: HudiliteException =>
        assert(e.getMessage == error.getMessage && e.condition == error.condition)
        assert(e.parameters == error.parameters && e.getSqlState == "42616")
      case other => fail(s"not an error of hudilite: $other")
    }
  }

  test("the error inside a failed job is found along its causes") {
    val job = new RuntimeException("job", new RuntimeException("task", error))
    assert(HudiliteException.find(job).exists(_ eq error))
    assert(HudiliteException.find(new RuntimeException("other")).isEmpty)
  }

  test("the other accessors of Spark do not ask Spark's own conditions") {
    assert(error.getDefaultMessageTemplate.contains("<value>"))
    assert(Option(error.getBreakingChangeInfo).isEmpty)
  }
}
