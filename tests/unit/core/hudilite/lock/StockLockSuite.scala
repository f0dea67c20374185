package hudilite.lock

import java.util.concurrent.atomic.AtomicLong

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.format.TableVersion
import hudilite.io.LocalStorage
import hudilite.lock.FakeWrites.{Late, LostAnswer, Unavailable}
import hudilite.timeline.TimelineFiles

/** The lock is taken, prolonged and given back as stock Hudi does, whatever the store answers. */
class StockLockSuite extends AnyFunSuite {
  private val start = 1000000L
  private val other = "other"

  private final class Test(seconds: Long = 60L) {
    val time = new AtomicLong(start)
    val writes = new FakeWrites
    val lock = new StockLock(
      TimelineFiles.ofNewTable(LocalStorage, new Path("file:/t"), TableVersion.Nine),
      "t",
      writes,
      LockWait(seconds, millis => time.addAndGet(millis): Unit),
      () => time.get
    )

    def owners: Vector[String] = writes.effects.map(_._2.owner).distinct
    def flags: Vector[Boolean] = writes.effects.map(_._2.expired)
    def held(until: Long): LockFile = LockFile(expired = false, until, other)
  }

  private def condition(body: => Any): HudiliteException = intercept[HudiliteException](body)

  test("a lock is created, held for 300 seconds and given back with its tag") {
    val test = new Test
    assert(test.lock.locked(test.writes.now.map(_.expired)) == Some(false))
    val Seq((created, first), (replaced, last)) = test.writes.effects: @unchecked
    assert(created.isEmpty && replaced.nonEmpty && first.validUntil == start + 300000L)
    assert(last == first.released)
  }

  test("a lock that was given back or is not valid any more is replaced by its tag") {
    for (before <- Seq(new Test().held(start).released, new Test().held(start - 501L))) {
      val test = new Test
      test.writes.by(before)
      test.lock.locked(assert(test.writes.now.exists(_.owner != other)))
      assert(test.writes.effects.map(_._1.nonEmpty) == Vector(true, true))
    }
  }

  test("a lock of another is waited for until it is not valid any more") {
    val test = new Test
    test.writes.by(test.held(start + 10000L))
    test.lock.locked(assert(test.time.get > start + 10500L))
  }

  test("whoever waits for too long is told who holds the lock until when") {
    val test = new Test
    test.writes.by(test.held(start + 600000L))
    val e = condition(test.lock.locked(fail("it is held")))
    assert(e.condition == "HUDILITE_LOCK_TIMEOUT" && e.parameters("seconds") == "60")
    assert(
      e.parameters("reason").contains("writer other holds its lock until 1970-01-01T00:26:40Z")
    )
    assert(test.writes.effects.isEmpty && test.time.get < start + 62000L)
  }

  test("of two that look at once, the one that writes first has the lock") {
    val test = new Test
    test.writes.afterLooks(() => test.writes.by(test.held(start + 5000L)))
    test.lock.locked(assert(test.time.get > start + 5500L))
  }

  test("the answer to the taking may be lost") {
    val test = new Test
    test.writes.next(LostAnswer)
    test.lock.locked(assert(test.owners.size == 1 && test.writes.effects.size == 1))
    assert(test.flags == Vector(false, true))
  }

  test("a request that arrives late is recognized by its owner") {
    val test = new Test
    test.writes.next(Late)
    test.lock.locked(assert(test.writes.effects.size == 1))
    assert(test.flags == Vector(false, true) && test.owners.size == 1)
  }

  test("a request without an effect is made again") {
    val test = new Test
    test.writes.next(Unavailable, Unavailable)
    test.lock.locked(())
    assert(test.flags == Vector(false, true))
  }

  test("the answer to the giving back may be lost, and the request, too") {
    for (end <- Seq(LostAnswer, Unavailable)) {
      val test = new Test
      test.lock.locked(test.writes.next(end))
      assert(test.flags == Vector(false, true))
    }
  }

  test("a lock that stays with a dead process is no error of the body") {
    val test = new Test
    assert(test.lock.locked { test.writes.next(Seq.fill(3)(Unavailable): _*); 7 } == 7)
    assert(test.writes.now.exists(!_.expired))
  }

  test("whoever holds the lock takes it again without a request") {
    val test = new Test
    test.lock.locked(test.lock.locked(assert(test.writes.effects.size == 1)))
    assert(test.flags == Vector(false, true))
  }

  test("a body that fails gives the lock back") {
    val test = new Test
    assertThrows[IllegalStateException](test.lock.locked(throw new IllegalStateException))
    assert(test.flags == Vector(false, true))
  }

  test("a lock that has become old is prolonged before it is relied on") {
    val test = new Test
    test.lock.locked {
      test.time.addAndGet(200000L)
      test.lock.check("1")
      assert(test.writes.now.map(_.validUntil) == Some(start + 500000L))
    }
    assert(test.flags == Vector(false, false, true))
  }

  test("a lock that another has taken is lost, and is left to it") {
    val test = new Test
    test.lock.locked {
      test.time.addAndGet(400000L)
      test.writes.by(test.held(start + 700000L))
      assert(condition(test.lock.check("1")).condition == "HUDILITE_CONCURRENT_WRITE")
    }
    assert(test.writes.now.contains(test.held(start + 700000L)))
    assert(test.flags == Vector(false))
  }

  test("a damaged lock file is an error") {
    val test = new Test
    test.writes.by(LockFile(expired = false, 1L, "\"}"))
    assert(condition(test.lock.locked(())).condition == "HUDILITE_CORRUPT_TIMELINE")
  }
}
