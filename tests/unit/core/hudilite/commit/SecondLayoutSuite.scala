package hudilite.commit

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.tests.SecondLayout
import hudilite.timeline.{CommitMetadata, Instant, Markers, Timeline, TimelineFiles, Version6Layout}
import hudilite.view.TestTable

/** The commit protocol on tables whose metadata files have other names than in table version 6. */
class SecondLayoutSuite extends AnyFunSuite {
  private def filesOf(dir: Path) = new TimelineFiles(LocalStorage, dir, new SecondLayout)

  private def logOf(files: TimelineFiles) = TestTable.logOf(files)

  private val metadata = CommitMetadata("UPSERT", "", Nil)

  /** Commits without data files. */
  private def commit(files: TimelineFiles): String = {
    val write = logOf(files).begin(Committed.load(files).base)
    Markers.create(files, write.instant, "p=a", "x_1-0-1_1.parquet", Markers.Create)
    write.commit(metadata, Set.empty).instant
  }

  private def namesBelow(dir: Path): Set[String] = {
    val base = TempFolder.local(dir)
    Files.walk(base).iterator.asScala.filter(Files.isRegularFile(_))
      .map(base.relativize(_).toString).toSet
  }

  test("a commit has the names of its layout and no others") {
    TempFolder.use { dir =>
      val t = commit(filesOf(dir))
      val number = "0" * 19 + "1"
      assert(
        namesBelow(dir) == Set(
          s".second/instants/asked-$t.commit",
          s".second/instants/begun-$t.commit",
          s".second/instants/done-${t}_$t.commit",
          s".second/own/numbers/$number",
          s".second/own/numbers/$number-$t"
        )
      )
    }
  }

  test("tables of two layouts live in one process: the metadata folder of each tells its layout") {
    TempFolder.use { dir =>
      val known = Seq(new SecondLayout, Version6Layout)
      val tables = known.map(layout => layout -> Storage.resolve(dir, s"in${layout.metadata}"))
      tables.foreach { case (layout, base) =>
        commit(new TimelineFiles(LocalStorage, base, layout)): Unit
      }
      tables.foreach { case (layout, base) =>
        val found = TimelineFiles.of(LocalStorage, base, known)
        assert(found.layout == layout && Committed.load(found).number == 1)
      }
      assert(TimelineFiles.of(LocalStorage, dir, known).layout == known.head, "a new table")
    }
  }

  test("the content of each file of an instant has the form of its layout") {
    TempFolder.use { dir =>
      val files = filesOf(dir)
      commit(files): Unit
      val lost = logOf(files).begin(Committed.load(files).base, Instant.replaceCommit).instant
      checkContent(files, Set(Instant.commit, Instant.replaceCommit))
      assert(logOf(files).rollback.rollBack(lost).isRight)
      checkContent(files, Set(Instant.commit, "rollback"))
    }
  }

  private def checkContent(files: TimelineFiles, actions: Set[String]): Unit = {
    val content = files.list().map(_._1).map(i => i -> files.read(i)).filter(_._2.nonEmpty)
    assert(content.map(_._1.action).toSet == actions)
    content.foreach { case (instant, bytes) =>
      assert(new String(bytes, UTF_8).startsWith("second\n"), instant)
    }
  }

  test("a time of completion in a file name changes no answer about an instant") {
    TempFolder.use { dir =>
      val files = filesOf(dir)
      val times = Vector(commit(files), commit(files))
      val timeline = Timeline.load(files)
      assert(timeline.completed.map(_.completion) == times.map(Option(_)))
      assert(times.forall(timeline.isCompleted(_, "commit")))
      assert(Committed.load(files).times == times && Committed.load(files).number == 2)
      assert(TimelineEntry.load(files).forall(_.completedMillis.nonEmpty))
    }
  }

  test("a completed file of unknown completion counts at its place and by its number") {
    TempFolder.use { dir =>
      val files = filesOf(dir)
      val first = logOf(files).begin(Committed.load(files).base)
      val second = logOf(files).begin(Committed.load(files).base)
      Seq(second, first).foreach(_.commit(metadata, Set.empty): Unit) // numbers against the times
      val (earlier, later) = (first.instant, second.instant)
      val named = files.path(files.layout.completed(later, "commit", None).get)
      val unknown = Instant(later, "commit", Instant.Completed)
      Files.move(TempFolder.local(named), TempFolder.local(files.path(unknown)))
      val completed = Timeline.load(files).completed
      assert(completed.map(i => i.time -> i.completion) ==
        Vector(earlier -> Some(earlier), later -> None))
      assert(Committed.steps(files) == Vector(Vector(later), Vector(earlier)))
      def at(asked: AsOf) = Committed.load(files, asked).times
      assert(at(AsOf.Version(later)) == Vector(later))
      assert(at(AsOf.Version(earlier)) == Vector(earlier, later))
      assert(at(AsOf.Until(later, later)) == Vector(earlier, later))
      assert(Committed.load(files).metadata(files, later).map(_.operationType).contains("UPSERT"))
      assert(commit(files) > later && Committed.load(files).number == 3)
    }
  }

  test("a dead write is rolled back, with its markers") {
    TempFolder.use { dir =>
      val files = filesOf(dir)
      commit(files)
      val lost = logOf(files).begin(Committed.load(files).base).instant
      Markers.create(files, lost, "p=a", "x_1-0-1_1.parquet", Markers.Create)
      assert(logOf(files).rollback.rollBack(lost).map(_.instant) == Right(lost))
      assert(Markers.instants(files).isEmpty)
      assert(Timeline.load(files).pending.isEmpty)
    }
  }
}
