package hudilite.commit

import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.service.Restore
import hudilite.timeline.{Instant, TimelineFiles}
import hudilite.view.TestTable
import hudilite.view.TestTable.use

class StreamLogSuite extends AnyFunSuite {
  private def log(table: TestTable, stream: String = "s") =
    new StreamLog(TimelineFiles.of(LocalStorage, table.base), table.log, stream)

  private def write(table: TestTable, batch: StreamBatch, buckets: Int*): CommitResult =
    begun(table, batch, buckets: _*).commit()

  private def begun(table: TestTable, batch: StreamBatch, buckets: Int*) = {
    val files = table.start(table.snapshot, buckets)(_ + batch.batch)
    files.transaction.abort(Seq(table.partition))
    val base = table.snapshot.base
    val transaction = table.log.begin(base, stream = Some(batch))
    files.copy(transaction = transaction, stats = Nil)
  }

  private def mark(table: TestTable): String =
    TempFolder.text(Storage.resolve(table.base, ".hoodie/.hudilite/streams/s"))

  test("a stream that begins holds nothing, and notes where the table was") {
    use { table =>
      table.merge(1)(_ => "a")
      assert(log(table).begin() == StreamLog.Held(None, 1))
      assert(mark(table) == "1")
      table.merge(1)(_ + "b")
      assert(log(table).begin() == StreamLog.Held(None, 2))
      assert(mark(table) == "1")
    }
  }

  test("the newest batch of the stream itself counts") {
    use { table =>
      val held = log(table).begin()
      write(table, StreamBatch("s", 4, held.number), 1)
      write(table, StreamBatch("s", 7, held.number), 1)
      log(table, "other").begin()
      write(table, StreamBatch("other", 9, 2), 1)
      assert(log(table).begin() == StreamLog.Held(Some(7), 3))
      assert(log(table).since(held) == StreamLog.Held(Some(7), 3))
      assert(log(table).since(StreamLog.Held(Some(7), 3)) == StreamLog.Held(Some(7), 3))
      assert(log(table, "other").begin().last == Option(9L))
    }
  }

  test("a batch without a completed file counts once its commit is published") {
    use { table =>
      log(table).begin()
      val done = write(table, StreamBatch("s", 0, 0), 1)
      val completed = table.files.path(Instant(done.instant, Instant.commit, Instant.Completed))
      LocalStorage.delete(completed)
      assert(log(table).begin().last == Option(0L))
      assert(LocalStorage.status(completed).nonEmpty)
    }
  }

  test("a batch that was rolled back before it was published does not count") {
    use { table =>
      log(table).begin()
      val done = write(table, StreamBatch("s", 0, 0), 1)
      Seq(Instant.Requested, Instant.Inflight, Instant.Completed).foreach { state =>
        table.files.delete(Instant(done.instant, Instant.commit, state))
      }
      assert(log(table).begin().last.isEmpty)
    }
  }

  test("of two writes of one batch the second is refused, whatever it has seen") {
    use { table =>
      val held = log(table).begin()
      val early = begun(table, StreamBatch("s", 3, held.number), 1)
      write(table, StreamBatch("s", 3, held.number), 2)
      val late = begun(table, StreamBatch("s", 3, held.number), 1)
      Seq(early, late).foreach { write =>
        val fault = intercept[HudiliteException](write.commit())
        assert(fault.condition == "HUDILITE_STREAM_STOPPED")
      }
      assert(write(table, StreamBatch("s", 4, held.number), 1).number == 2)
    }
  }

  test("a batch begun on a restored table does not conflict with what the restore undid") {
    use { table =>
      val kept = table.merge(1)(_ => "a").instant
      val held = log(table).begin()
      table.merge(1)(_ + "b")
      new Restore(table.files, table.config, table.log, () => System.currentTimeMillis).run(kept)
      val done = write(table, StreamBatch("s", 0, held.number), 1)
      assert(log(table).begin() == StreamLog.Held(Some(0), done.number))
    }
  }

  test("a batch conflicts with a commit since the state that it is based on") {
    use { table =>
      val held = log(table).begin()
      table.merge(1)(_ => "a")
      val early = begun(table, StreamBatch("s", 0, held.number), 1)
      table.merge(1)(_ + "b")
      val fault = intercept[HudiliteException](early.commit())
      assert(fault.condition == "HUDILITE_CONCURRENT_WRITE")
    }
  }
}
