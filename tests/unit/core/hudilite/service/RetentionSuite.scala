package hudilite.service

import org.scalatest.funsuite.AnyFunSuite

/** Which state is the earliest that is kept. */
class RetentionSuite extends AnyFunSuite {
  private val hour = 3600000L
  private val now = 1000 * hour

  /** States of one instant each, completed so many hours ago. */
  private def earliest(commits: Int, hours: Int)(ages: Int*): Option[Int] = {
    val steps = ages.indices.map(i => Vector(i.toString)).toVector
    Retention(commits, hours)
      .earliest(steps, time => Some(now - ages(time.toInt) * hour), now)
      .map(_.toInt)
  }

  test("the latest states are kept, as many as are asked for") {
    assert(earliest(1, 0)(9, 8, 7, 6) == Some(3))
    assert(earliest(3, 0)(9, 8, 7, 6) == Some(1))
    assert(earliest(4, 0)(9, 8, 7, 6) == Some(0))
    assert(earliest(5, 0)(9, 8, 7, 6) == None)
    assert(earliest(1, 0)() == None)
    assert(earliest(1, 0)(2, 1, 0) == Some(2))
    assert(earliest(1, 0)(2, 1, -1) == Some(2))
  }

  test("so is what was current within the hours, and the one that was so when they began") {
    assert(earliest(1, 7)(9, 8, 7, 6) == Some(1))
    assert(earliest(1, 6)(9, 8, 7, 6) == Some(2))
    assert(earliest(1, 9)(9, 8, 7, 6) == None)
    assert(earliest(1, 5)(9, 8, 7, 6) == Some(3))
    assert(earliest(3, 5)(9, 8, 7, 6) == Some(1))
  }

  test("a state counts by its first young commit, wherever that stands") {
    assert(earliest(1, 5)(9, 1, 7, 6) == Some(0))
    val steps = Vector(Vector("a"), Vector("b", "c"), Vector("d"))
    val known = Map("a" -> 9, "b" -> 8, "c" -> 1, "d" -> 1).view.mapValues(now - _ * hour).toMap
    assert(Retention(1, 2).earliest(steps, known.get, now) == Some("a"))
    assert(Retention(2, 0).earliest(steps, known.get, now) == Some("c"))
  }

  test("a commit whose time is not known is young") {
    val steps = Vector(Vector("a"), Vector("b"), Vector("c"))
    assert(Retention(1, 1).earliest(steps, Map("a" -> 0L, "b" -> 0L).get, now) == Some("b"))
  }
}
