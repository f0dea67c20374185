package hudilite.lock

import java.io.File
import java.util.concurrent.atomic.{AtomicLong, AtomicReference}

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.io.{LocalStorage, Storage}
import hudilite.view.TestTable

/** Turns of the steps of a rescale and of other writes. The clock moves while somebody waits. */
class RescaleTurnsSuite extends AnyFunSuite {

  /** Turns whose clock is moved by each wait.
    * @param onWait called at each wait, with the time at which it begins */
  private def turns(table: TestTable)(onWait: Long => Unit): (RescaleTurns, AtomicLong) = {
    val time = new AtomicLong
    val made = new RescaleTurns(
      table.files,
      () => time.get,
      { millis =>
        onWait(time.get)
        time.addAndGet(millis): Unit
      }
    )
    (made, time)
  }

  private def at(table: TestTable, name: String): Path =
    Storage.resolve(table.base, s".hoodie/.hudilite-rescale/$name")

  private def isAnnounced(table: TestTable): Boolean = LocalStorage.exists(at(table, "step"))

  private def signs(table: TestTable): Seq[String] =
    LocalStorage.names(at(table, "")).filter(_.startsWith("waits-"))

  test("a step is announced while it runs, also if it fails") {
    TestTable.use { table =>
      val (rescale, time) = turns(table)(_ => fail("nobody is there to wait for"))
      assert(rescale.inTurn(isAnnounced(table)))
      assert(!isAnnounced(table))
      intercept[IllegalStateException](rescale.inTurn(throw new IllegalStateException))
      assert(!isAnnounced(table) && time.get == 0L)
    }
  }

  test("a step begins when the pending writes have ended") {
    TestTable.use { table =>
      val pending = table.start(table.snapshot, Seq(0))(identity)
      val (rescale, time) = turns(table) { now =>
        assert(isAnnounced(table) == (now <= 200L))
        if (now == 200L) pending.commit(): Unit
      }
      assert(rescale.inTurn(time.get) == 250L)
      assert(time.get == 2250L, "the writer may send its next statement")
    }
  }

  test("a step is followed by the next statement of a writer that was pending") {
    TestTable.use { table =>
      val pending = table.start(table.snapshot, Seq(0))(identity)
      val (rescale, time) = turns(table) { now =>
        if (now == 0L) pending.commit(): Unit
        if (now == 150L) table.start(table.snapshot, Seq(0))(identity): Unit
      }
      assert(rescale.inTurn(time.get) == 50L)
      assert(time.get == 200L)
    }
  }

  test("a step is followed by the next statements of all writers of the turn before") {
    TestTable.use { table =>
      def start(bucket: Int) = table.start(table.snapshot, Seq(bucket))(identity)
      val first = Seq(start(0), start(1))
      val next = new AtomicReference(first.head)
      val (rescale, time) = turns(table) {
        case 0L => first.foreach(_.commit())
        case 100L => next.set(start(0))
        case 200L | 350L | 450L => start(1): Unit
        case 250L => table.log.rollback.rollBackOlderThan(0L): Unit
        case _ => ()
      }
      rescale.inTurn(())
      assert(time.get == 250L)
      next.get.commit(): Unit
      rescale.inTurn(())
      assert(time.get == 500L)
    }
  }

  test("the first step is followed by statements of all writers that were at work before it") {
    TestTable.use { table =>
      def start(bucket: Int) = table.start(table.snapshot, Seq(bucket))(identity)
      Seq(start(0), start(1)).foreach(_.commit())
      val (rescale, time) = turns(table) {
        case 100L => start(0): Unit
        case 300L => start(1): Unit
        case _ => ()
      }
      assert(rescale.inTurn(time.get) == 0L)
      assert(time.get == 350L)
      val (later, after) = turns(table) { case _ => table.log.rollback.rollBackOlderThan(0L): Unit }
      later.inTurn(()): Unit
      assert(after.get == 2050L, "two were pending at once")
    }
  }

  test("writes that came one after the other do not keep a rescale waiting") {
    TestTable.use { table =>
      table.merge(0)(_ => "one")
      Thread.sleep(20)
      table.merge(0)(_ => "two")
      val (rescale, time) = turns(table)(_ => ())
      rescale.inTurn(()): Unit
      assert(time.get == 0L)
    }
  }

  test("a write that never ends is waited for once") {
    TestTable.use { table =>
      table.start(table.snapshot, Seq(0))(identity): Unit
      val (rescale, time) = turns(table)(_ => ())
      assert(rescale.inTurn(time.get) == 60000L)
      assert(rescale.inTurn(time.get) == 60000L)
    }
  }

  test("a write waits until the step has ended, and the rescale until it has begun") {
    TestTable.use { table =>
      val (idle, _) = turns(table)(_ => fail("nothing to wait for"))
      assert(idle.await().isEmpty)
      val sign = new AtomicReference[AutoCloseable]
      val (rescale, rescaled) = turns(table) { now =>
        assert(!isAnnounced(table) && signs(table).size == 1)
        if (now == 100L) {
          table.start(table.snapshot, Seq(0))(identity): Unit
          sign.get.close()
        }
      }
      rescale.inTurn {
        val (writer, waited) = turns(table) { now =>
          assert(signs(table).size == 1)
          if (now == 300L) LocalStorage.delete(at(table, "step")): Unit
        }
        sign.set(writer.await().get)
        assert(waited.get == 350L)
      }
      assert(rescaled.get == 150L && signs(table).isEmpty)
    }
  }

  test("the announcement of a rescale that has died is removed, and so is the sign of a write") {
    TestTable.use { table =>
      LocalStorage.mkdirs(at(table, ""))
      LocalStorage.touch(at(table, "step"))
      val (writer, waited) = turns(table)(_ => ())
      assert(writer.await().nonEmpty && waited.get == 5000L)
      assert(!isAnnounced(table) && signs(table).size == 1)
      val (rescale, time) = turns(table)(_ => ())
      rescale.inTurn(())
      assert(time.get == 10000L && signs(table).isEmpty)
    }
  }

  test("a write does not wait for a step without limit") {
    TestTable.use { table =>
      val (writer, waited) = turns(table) { now =>
        new File(at(table, "step").toUri).setLastModified(now + 1): Unit
      }
      LocalStorage.mkdirs(at(table, ""))
      LocalStorage.touch(at(table, "step"))
      writer.await().foreach(_.close())
      assert(waited.get == 120000L && signs(table).isEmpty)
    }
  }
}
