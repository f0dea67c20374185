package hudilite.spark.read

import org.apache.spark.sql.sources._
import org.scalatest.funsuite.AnyFunSuite

class FloatingFiltersSuite extends AnyFunSuite {
  private val zeros = And(GreaterThanOrEqual("d", -0.0d), LessThanOrEqual("d", 0.0d))
  private val nan = EqualTo("d", Double.NaN)

  private def in(values: Any*) = In("d", values.toArray)

  /** Zeros are equal for `==`: the texts tell them apart. */
  private def check(filter: Filter, expected: Option[Filter], knowsNaN: Boolean = true): Unit =
    assert(FloatingFilters.of(filter, knowsNaN).map(shown) == expected.map(shown))

  private def shown(filter: Filter): String = filter match {
    case In(column, values) => s"In($column, ${values.mkString(", ")})"
    case Or(a, b) => s"Or(${shown(a)}, ${shown(b)})"
    case other => other.toString
  }

  test("an equality with one zero looks for both") {
    for (zero <- Seq(0.0d, -0.0d); knowsNaN <- Seq(true, false)) {
      check(EqualTo("d", zero), Some(zeros), knowsNaN)
      check(EqualNullSafe("d", zero), Some(zeros), knowsNaN)
      check(in(zero), Some(zeros), knowsNaN)
      check(in(1.0d, zero, 2.0d), Some(Or(in(1.0d, 2.0d), zeros)), knowsNaN)
    }
    val ofFloat = And(GreaterThanOrEqual("f", -0.0f), LessThanOrEqual("f", 0.0f))
    check(EqualTo("f", 0.0f), Some(ofFloat))
  }

  test("a bound that is zero admits both zeros") {
    for (zero <- Seq(0.0d, -0.0d)) {
      check(GreaterThanOrEqual("d", zero), Some(GreaterThanOrEqual("d", -0.0d)))
      check(LessThanOrEqual("d", zero), Some(LessThanOrEqual("d", 0.0d)))
    }
  }

  test("bounds without NaN decide nothing that NaN may pass") {
    val above = Seq(GreaterThan("d", 1.0d), GreaterThanOrEqual("d", 1.0d))
    val open = Not(EqualTo("d", 1.0d)) +: above
    open.foreach { filter =>
      check(filter, Some(filter))
      check(filter, None, knowsNaN = false)
    }
    val closed = Seq[Filter](EqualTo("d", 1.0d), LessThan("d", 1.0d), LessThanOrEqual("d", 1.0d))
    closed.foreach(filter => check(filter, Some(filter), knowsNaN = false))
  }

  test("NaN is looked for by no file: it has many forms, which bloom filters tell apart") {
    for (filter <- Seq(nan, in(1.0d, Double.NaN)); knowsNaN <- Seq(true, false))
      check(filter, None, knowsNaN)
  }

  test("a conjunction keeps one side, a disjunction needs both") {
    val (id, above) = (EqualTo("id", 1), GreaterThan("d", 1.0d))
    check(And(id, above), Some(id), knowsNaN = false)
    check(And(above, id), Some(id), knowsNaN = false)
    check(And(above, nan), None, knowsNaN = false)
    check(Or(id, above), None, knowsNaN = false)
    check(Or(id, EqualTo("d", 0.0d)), Some(Or(id, zeros)))
  }

  test("a negation of anything but an equality is not used") {
    check(Not(LessThan("d", 1.0d)), None)
    check(Not(Or(EqualTo("id", 1), EqualTo("d", 1.0d))), None)
    check(Not(LessThan("id", 1)), Some(Not(LessThan("id", 1))))
  }

  test("filters on other types stay as they are") {
    val others =
      Seq[Filter](EqualTo("id", 0), In("id", Array(0, 1)), IsNull("d"), StringContains("s", "0"))
    others.foreach(filter => check(filter, Some(filter), knowsNaN = false))
  }
}
