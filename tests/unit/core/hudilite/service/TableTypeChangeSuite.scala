package hudilite.service

import scala.util.{Success, Try}

import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.{AsOf, TypeDecision}
import hudilite.error.HudiliteException
import hudilite.format.TableVersion
import hudilite.format.TableVersion.{Nine, Six}
import hudilite.io.{LocalStorage, TempFolder}
import hudilite.tests.{FaultPlan, FaultStorage}
import hudilite.timeline.Instant
import hudilite.verify.TableCheck
import hudilite.view.LogTable.{append, begin, logs, sliceOf}
import hudilite.view.{ChangesBetween, Checkpoints, LogTable, TableSnapshot, TestTable}

/** Changes of the type of a table: its states stay, also after a crash and beside writers. */
class TableTypeChangeSuite extends AnyFunSuite {
  import TableTypeChangeSuite._

  private def failure(step: => Any): HudiliteException = intercept[HudiliteException](step: Unit)

  /** Runs a test with a table of either version and either type, both with two commits. */
  private def each(test: (TestTable, Boolean) => Unit): Unit = for {
    version <- Seq(Six, Nine)
    isMergeOnRead <- Seq(true, false)
  } use(version, isMergeOnRead)(table => test(table, isMergeOnRead))

  private def use[A](version: TableVersion, isMergeOnRead: Boolean)(test: TestTable => A): A = {
    def filled(table: TestTable): A = {
      table.merge(1, 2)(_ => "a"): Unit
      if (isMergeOnRead) append(table, 1)(): Unit
      table.merge(1)(_ + "b"): Unit
      test(table)
    }
    if (isMergeOnRead) LogTable.use(version)(filled)
    else if (version == Nine) TestTable.useVersion9(filled)
    else TestTable.use { table =>
      table.config: Unit
      filled(table)
    }
  }

  /** Rows and log files of each state. */
  private def states(table: TestTable): Seq[Any] = table.snapshot.instants.map { time =>
    val state = TableSnapshot.load(table.files, table.config, Some(AsOf.Version(time)))
    (time, table.rows(state),
      state.slices(table.partition).map(_.logs.map(_.path.getName)))
  }

  private def check(table: TestTable, isMergeOnRead: Boolean, expected: Seq[Any]): Unit = {
    assert(table.config.isMergeOnRead == isMergeOnRead && states(table) == expected)
    assert(TableCheck.run(table.files, files = true).findings.isEmpty)
  }

  test("a table keeps its states when its type changes and changes back, and is written in each") {
    each { (table, isMergeOnRead) =>
      val before = states(table)
      val last = table.snapshot.lastInstant
      assert(change(table))
      val other = again(table)
      check(other, !isMergeOnRead, before)
      assert(other.config.typeSince == last && other.config.typeNumber == table.snapshot.number)
      assert(other.config.properties - "hoodie.table.type" - "hudilite.type.since" -
        "hudilite.type.number" == table.config.properties - "hoodie.table.type" -
        "hudilite.type.since" - "hudilite.type.number")
      other.merge(1)(_ + "c"): Unit
      assert(change(other))
      val back = again(table)
      back.merge(2)(_ + "d"): Unit
      assert(back.config.isMergeOnRead == isMergeOnRead && back.config.typeNumber > 4)
      assert(back.rows() == Map(1 -> "abc", 2 -> "ad") && states(back).take(before.size) == before)
      assert(TableCheck.run(back.files, files = true).findings.isEmpty)
    }
  }

  test("a clean deletes the log files of earlier states of a copy-on-write table") {
    Seq(Six, Nine).foreach { version =>
      use(version, isMergeOnRead = true) { table =>
        assert(logs(table).size == 1 && change(table))
        val cow = again(table)
        new Cleaner(cow.files, cow.config, cow.log, () => now()).run(Retention(1, 0)): Unit
        assert(logs(cow).isEmpty && cow.rows() == Map(1 -> "ab", 2 -> "a"))
        assert(TableCheck.run(cow.files, files = true).findings.isEmpty)
      }
    }
  }

  test("readers of copy-on-write tables see base files of commits, or of instants before them") {
    use(Six, isMergeOnRead = true) { table =>
      def seen(bucket: Int) = table.snapshot.isSeenAsCopyOnWrite(sliceOf(table, bucket))
      assert(seen(1) && seen(2))
      append(table, 2)(): Unit
      assert(seen(1) && !seen(2))
      rename(table, sliceOf(table, 1).instant)
      assert(!seen(1), "a deltacommit after the first commit")
      rename(table, sliceOf(table, 2).instant)
      assert(!seen(1) && !seen(2), "there is no commit")
      table.merge(1)(_ + "c"): Unit
      assert(seen(1))
    }
  }

  test("a commit that comes after the look is noticed, and nothing is changed") {
    each { (table, isMergeOnRead) =>
      val seen = table.snapshot.number
      table.merge(2)(_ + "c"): Unit
      assert(!new TableTypeChange(table.files, table.log).run(!isMergeOnRead, seen))
      check(again(table), isMergeOnRead, states(table))
      assert(change(table) && again(table).config.isMergeOnRead != isMergeOnRead)
    }
  }

  test("a writer that was planned for the other type fails, and its instant can be rolled back") {
    each { (table, isMergeOnRead) =>
      val writer = table.start(table.snapshot, Seq(1))(_ + "c")
      decide(table, !isMergeOnRead)(_.finish(_): Unit)
      val late = table.start(TableSnapshot.load(table.files, again(table).config), Seq(2))(_ + "c")
      assert(failure(writer.commit()).condition == "HUDILITE_CONCURRENT_WRITE")
      assert(failure(late.commit()).parameters("bucket").contains("type of the table"))
      if (!isMergeOnRead) {
        val stale = table.config.copy(table.config.properties - "hudilite.type.since" -
          "hudilite.type.number" + ("hoodie.table.type" -> "COPY_ON_WRITE"))
        val found = failure(TableSnapshot.load(table.files, stale))
        assert(found.condition == "HUDILITE_CONCURRENT_WRITE")
      }
      val other = again(table)
      other.log.rollback.rollBackOlderThan(0): Unit
      assert(other.rows() == Map(1 -> "ab", 2 -> "a"))
      other.merge(1)(_ + "d"): Unit
      assert(other.rows()(1) == "abd")
    }
  }

  test("a writer from before two changes fails if its type has come back") {
    each { (table, _) =>
      val writer = table.start(table.snapshot, Seq(1))(_ + "c")
      Seq(1, 2).foreach(_ =>
        decide(again(table), !again(table).config.isMergeOnRead)(_.finish(_): Unit)
      )
      assert(failure(writer.commit()).condition == "HUDILITE_CONCURRENT_WRITE")
      assert(again(table).merge(1)(_ + "d").number >= 5)
    }
  }

  test("a writer that was opened long before the change finds it") {
    each { (table, isMergeOnRead) =>
      assert(change(table))
      val other = again(table)
      (1 to 25).foreach { n =>
        val done = other.merge(1)(_ => s"$n")
        Checkpoints.afterCommit(other.files, other.config, done.number)
      }
      other.snapshot: Unit
      val late = table.start(TableSnapshot.load(table.files, other.config), Seq(2))(_ + "c")
      assert(failure(late.commit()).condition == "HUDILITE_CONCURRENT_WRITE")
      assert(again(table).config.isMergeOnRead != isMergeOnRead)
    }
  }

  test("the next writer finishes a change that is decided, and fails") {
    each { (table, isMergeOnRead) =>
      val before = states(table)
      decide(table, !isMergeOnRead)((_, _) => ())
      check(again(table), isMergeOnRead, before)
      assert(failure(table.merge(1)(_ + "c")).condition == "HUDILITE_CONCURRENT_WRITE")
      val other = again(table)
      other.log.rollback.rollBackOlderThan(0): Unit
      check(other, !isMergeOnRead, before)
      other.merge(1)(_ + "d"): Unit
      assert(other.rows()(1) == "abd")
    }
  }

  test("a repeated call finishes a change that is decided") {
    each { (table, isMergeOnRead) =>
      val before = states(table)
      decide(table, !isMergeOnRead)((_, _) => ())
      def left = new TableTypeChange(table.files, table.log).finishLast()
      assert(left && !left)
      check(again(table), !isMergeOnRead, before)
    }
  }

  test("a table that has become merge-on-read once more is not read as it was opened before") {
    use(Six, isMergeOnRead = true) { table =>
      assert(change(table))
      val opened = again(table)
      val config = opened.config
      assert(change(opened))
      assert(failure(TableSnapshot.load(table.files, config)).condition ==
        "HUDILITE_CONCURRENT_WRITE")
    }
  }

  test("a commit of another program after the decision keeps a table merge-on-read") {
    Seq(Six, Nine).foreach { version =>
      use(version, isMergeOnRead = true) { table =>
        decide(table, isMergeOnRead = false)((_, _) => ())
        val time = "29990101000000000"
        begin(table, time)
        table.files.layout.completed(time, Instant.deltaCommit, Some(time + "")).foreach { done =>
          val json = TestTable.metadata(Nil).toJson
          table.files.create(done,
            table.files.codec.encodeCommit(json, done.action, table.files.path(done)))
        }
        assert(failure(table.merge(1)(_ + "c")).condition == "HUDILITE_CONCURRENT_WRITE")
        assert(again(table).config.isMergeOnRead)
        table.log.rollback.rollBackOlderThan(0): Unit
        again(table).merge(1)(_ + "d"): Unit
        assert(again(table).rows()(1) == "abd")
      }
    }
  }

  test("pending actions are refused by name") {
    each { (table, isMergeOnRead) =>
      val open = table.start(table.snapshot, Seq(1))(_ + "c").transaction
      val refused = failure(change(table))
      assert(refused.condition == "HUDILITE_UNSUPPORTED_TABLE")
      assert(refused.parameters("fact") == "pending write")
      assert(refused.parameters("value") == open.instant && open.abort())
      TempFolder.write(
        table.files.path(Instant("29990101000000000", "indexing", Instant.Requested)),
        "x"
      )
      assert(failure(change(table)).parameters("fact") == "pending indexing")
      assert(again(table).config.isMergeOnRead == isMergeOnRead)
    }
  }

  test(
    "a copy-on-write table becomes merge-on-read before it is restored to a state with log files"
  ) {
    Seq(Six, Nine).foreach { version =>
      use(version, isMergeOnRead = true) { table =>
        val times = table.snapshot.instants
        val (first, withLog, last) = (times.head, times(1), times.last)
        assert(change(table))
        val cow = again(table)
        def restore(of: TestTable) = new Restore(of.files, of.config, of.log, () => now())
        assert(restore(cow).needsLogFiles(withLog) && !restore(cow).needsLogFiles(last))
        assert(restore(cow).look(withLog).lost == Seq(last))
        assert(intercept[IllegalStateException](restore(cow).run(withLog))
          .getMessage.startsWith("INTERNAL"))
        assert(cow.rows()(1) == "ab")
        assert(change(cow) && !restore(again(table)).needsLogFiles(withLog))
        restore(again(table)).run(withLog): Unit
        val mor = again(table)
        assert(mor.rows() == Map(1 -> "a", 2 -> "a") && sliceOf(mor, 1).logs.size == 1)
        assert(!mor.snapshot.instants.contains(last) && mor.snapshot.instants.contains(first))
        assert(TableCheck.run(mor.files, files = true).findings.isEmpty)
      }
    }
  }

  test("changes are read across a change of the type") {
    Seq(Six, Nine).foreach(version =>
      use(version, isMergeOnRead = true) { table =>
        val old = table.snapshot.instants
        assert(change(table))
        val cow = again(table)
        val next = cow.merge(2)(_ + "c").instant
        def between(from: Option[String]) =
          ChangesBetween.of(cow.files, cow.config, from, None).steps
        assert(between(Some(old.last)).flatMap(_.instants) == Seq(next))
        assert(between(Some(old.head)).flatMap(_.instants) == old.tail :+ next)
        val all = between(None)
        assert(all.flatMap(_.instants) == old :+ next)
        assert(all.head.before.all.isEmpty && all.head.before.seen.isEmpty)
        val (ofLogs, ofBase) = (all(1), all(2))
        assert(ofLogs.after.all.map(_.logs.size) == Seq(1))
        // In version 6 the blocks of a log file tell to which state it belongs.
        assert(ofLogs.before.all.map(_.logs.size) == Seq(if (version == Six) 1 else 0))
        assert(ofLogs.before.seen.contains(old.head))
        assert(ofLogs.after.seen.contains(old(1)))
        assert(ofBase.before.all == ofLogs.after.all && ofBase.after.all.forall(_.isOnlyBase))
      }
    )
  }

  test("a fault at a call of the storage leaves the table before or after") {
    val step = if (sys.env.get("HUDILITE_FAULTS").contains("all")) 1 else 5
    for {
      (version, isMergeOnRead) <- Seq(Six -> true, Six -> false, Nine -> true, Nine -> false)
      (action, first) <- Seq("throw", "throwAfter", "stop").zip(Seq(1, 2, 4))
    } {
      val struck = Iterator.from(math.min(first, step), step)
        .map(k => strike(version, isMergeOnRead, s"*:.*:$k:$action")).takeWhile(identity)
      assert(struck.size > 10 / step, s"$version $isMergeOnRead $action")
    }
  }

  /** @return whether the fault was reached */
  private def strike(version: TableVersion, isMergeOnRead: Boolean, fault: String): Boolean =
    use(version, isMergeOnRead) { table =>
      val before = states(table)
      val seen = table.snapshot.number
      val plan = FaultPlan.parse(fault)
      val faulty =
        new TestTable(table.base, FaultStorage.over(LocalStorage, plan), isWatched = true)
      val failed = Try(new TableTypeChange(faulty.files, faulty.log).run(!isMergeOnRead, seen))
      val found = again(table)
      val isDone = found.config.isMergeOnRead != isMergeOnRead
      assert(states(found) == before && (isDone || failed != Success(true)), s"$fault $failed")
      Try(found.merge(2)(_ + "d")): Unit
      again(table).log.rollback.rollBackOlderThan(0): Unit
      if (again(table).config.isMergeOnRead == isMergeOnRead) assert(change(again(table)), fault)
      val last = again(table)
      if (last.rows()(2) == "a") last.merge(2)(_ + "d"): Unit
      assert(last.rows() == Map(1 -> "ab", 2 -> "ad"), fault)
      assert(again(table).config.isMergeOnRead != isMergeOnRead, fault)
      assert(TableCheck.run(last.files, files = true).findings.isEmpty, fault)
      plan.hasStruck
    }
}

object TableTypeChangeSuite {
  private def now(): Long = System.currentTimeMillis

  /** Opens a table as it is now. */
  private def again(table: TestTable): TestTable = new TestTable(table.base, isWatched = true)

  /** Gives a table, which was opened with its present type, the other one. */
  private def change(table: TestTable): Boolean =
    new TableTypeChange(table.files, table.log).run(!table.config.isMergeOnRead,
      table.snapshot.number)

  /** Decides a change, as a procedure that is interrupted then. */
  private def decide(table: TestTable, isMergeOnRead: Boolean)(
      last: (TypeDecision, TypeDecision.Decided) => Unit
  ): Unit = {
    val decision = new TypeDecision(table.files)
    val decided = TypeDecision.Decided(table.log.settle().highest + 1, isMergeOnRead)
    assert(decision.take(decided, "me"))
    last(decision, decided)
  }

  /** Makes a commit of version 6 a deltacommit. */
  private def rename(table: TestTable, instant: String): Unit = {
    val done = Instant(instant, Instant.commit, Instant.Completed)
    val bytes = table.files.read(done)
    table.files.delete(done): Unit
    table.files.create(done.copy(action = Instant.deltaCommit), bytes): Unit
  }

  private def assert(condition: Boolean): Unit =
    if (!condition) throw new IllegalStateException("the number was taken")
}
