package hudilite.lock

import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Millis, Seconds, Span}

import hudilite.io.{LocalStorage, Storage}
import hudilite.view.TestTable

/** Heartbeats of pending writes, as stock Hudi reads them. */
class HeartbeatsSuite extends AnyFunSuite with Eventually {
  override implicit val patienceConfig: PatienceConfig =
    PatienceConfig(Span(10, Seconds), Span(5, Millis))

  private def use(test: (TestTable, Heartbeats, AtomicLong) => Any): Unit =
    TestTable.useVersion9 { table =>
      val late = new AtomicLong
      test(table, new Heartbeats(table.files, () => System.currentTimeMillis + late.get),
        late): Unit
    }

  private def isThere(table: TestTable): Boolean =
    LocalStorage.exists(Storage.resolve(table.base, ".hoodie/.heartbeat/17"))

  test("a heartbeat has a file from its beginning to its end") {
    use { (table, beats, _) =>
      assert(!beats.isAlive("17"))
      val beat = beats.start("17")
      assert(isThere(table) && beats.isAlive("17"))
      beat.end()
      assert(!isThere(table) && !beats.isAlive("17"))
    }
  }

  test("a heartbeat that has stopped is stale after two minutes") {
    use { (table, beats, late) =>
      beats.start("17").stop()
      late.set(110000L)
      assert(beats.isAlive("17"))
      late.set(130000L)
      assert(isThere(table) && !beats.isAlive("17"))
    }
  }

  test("an action is repeated, also after it has failed, until it is closed") {
    val times = new AtomicInteger
    val repeated = Repeated.every("test", 1L) { () =>
      if (times.incrementAndGet() == 1) throw new IllegalStateException
    }
    eventually(assert(times.get > 3))
    repeated.close()
    Thread.sleep(50L)
    val last = times.get
    Thread.sleep(50L)
    assert(times.get == last)
  }
}
