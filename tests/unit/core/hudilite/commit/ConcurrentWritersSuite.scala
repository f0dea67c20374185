package hudilite.commit

import java.util.concurrent.{Callable, CyclicBarrier, Executors}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.io.{LocalStorage, TempFolder}
import hudilite.timeline.{Timeline, TimelineFiles}
import hudilite.view.TestTable

class ConcurrentWritersSuite extends AnyFunSuite {
  private val frozen = () => 1704164645678L

  private def table[A](test: TestTable => A): A =
    TempFolder.use { dir =>
      val table = new TestTable(dir, clock = frozen)
      table.config
      test(table)
    }

  /** Runs one body in several threads that start together; each has its own CommitLog, as
    * processes have. */
  private def together[A](
      table: TestTable,
      threads: Int
  )(body: (Int, TestTable) => A): Vector[A] = {
    val barrier = new CyclicBarrier(threads)
    val pool = Executors.newFixedThreadPool(threads)
    val tasks = (0 until threads).map { id =>
      new Callable[A] {
        def call(): A = {
          barrier.await()
          body(id, new TestTable(table.base, LocalStorage, frozen))
        }
      }
    }
    try pool.invokeAll(tasks.asJava).asScala.map(_.get).toVector
    finally pool.shutdown()
  }

  /** @return the commit, or nothing when a rival was faster */
  private def tryMerge(table: TestTable, buckets: Seq[Int])(
      change: String => String
  ): Option[CommitResult] = {
    val started = table.start(table.snapshot, buckets)(change)
    try Some(started.commit())
    catch {
      case e: HudiliteException if e.condition == "HUDILITE_CONCURRENT_WRITE" =>
        assert(started.transaction.abort())
        None
    }
  }

  private def checkNumbers(table: TestTable, commits: Seq[CommitResult]): Unit = {
    val numbers = new CommitNumbers(TimelineFiles.of(LocalStorage, table.base))
    assert(commits.map(_.number).sorted == (1L to commits.length.toLong))
    assert(commits.map(_.instant).distinct.length == commits.length)
    assert(commits.forall(c => numbers.read(c.number).instant == c.instant))
    val timeline = Timeline.load(TimelineFiles.of(LocalStorage, table.base))
    assert(timeline.completedTimes == commits.map(_.instant).toSet && timeline.pending.isEmpty)
  }

  // F21, F26
  test("8 threads with 50 commits each under a frozen clock all commit, with dense numbers") {
    table { shared =>
      val commits = together(shared, 8) { (id, table) =>
        (1 to 50).map(i => table.merge(id)(_ + s"$i,"))
      }.flatten
      checkNumbers(shared, commits)
      assert(shared.rows() == (0 until 8).map(_ -> (1 to 50).map(i => s"$i,").mkString).toMap)
    }
  }

  // F18
  test("of all writers of one bucket from one snapshot exactly one commits") {
    (1 to 10).foreach { _ =>
      table { shared =>
        val snapshot = shared.snapshot
        val started = (0 until 6).map(id => shared.start(snapshot, Seq(7, id))(_ => s"$id"))
        val won = together(shared, 6) { (id, _) =>
          try started(id).commit().number > 0
          catch { case e: HudiliteException if e.condition == "HUDILITE_CONCURRENT_WRITE" => false }
        }
        assert(won.count(identity) == 1)
        val winner = won.indexOf(true).toString
        assert(shared.rows() == Map(7 -> winner, won.indexOf(true) -> winner))
      }
    }
  }

  // F18, F19, F26
  test("increments by several writers are never lost, whatever buckets they share") {
    val seed = sys.env.get("HUDILITE_SEED").fold(System.nanoTime)(_.toLong)
    info(s"HUDILITE_SEED=$seed")
    table { shared =>
      val done = together(shared, 4) { (id, table) =>
        val random = new Random(seed + id)
        @tailrec def untilDone(buckets: Seq[Int]): CommitResult =
          tryMerge(table, buckets)(old => (("0" + old).toInt + 1).toString) match {
            case Some(result) => result
            case None => untilDone(buckets)
          }
        (1 to 15).map { _ =>
          val buckets = random.shuffle((0 until 4).toVector).take(1 + random.nextInt(2))
          buckets -> untilDone(buckets)
        }
      }.flatten
      checkNumbers(shared, done.map(_._2))
      val expected =
        done.flatMap(_._1).groupBy(identity).map { case (b, times) => b -> times.length.toString }
      assert(shared.rows() == expected)
    }
  }

  // F28
  test("a reader beside writers sees whole commits only, and never an older one again") {
    table { shared =>
      shared.merge(1, 2)(_ => "0")
      val seen = together(shared, 3) { (id, table) =>
        if (id < 2)
          (1 to 20)
            .flatMap(_ => tryMerge(table, Seq(1, 2))(old => (old.toInt + 1).toString))
            .map(_.number)
        else
          (1 to 60).map { _ =>
            val rows = table.rows()
            assert(rows(1) == rows(2))
            rows(1).toLong
          }
      }
      assert(seen(2) == seen(2).sorted)
      assert(shared.rows()(1).toInt == seen(0).length + seen(1).length)
    }
  }
}
