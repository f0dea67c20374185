package hudilite.commit

import scala.sys.process.{Process, ProcessLogger}
import scala.util.Try

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.Rotation
import hudilite.format.BaseFileName
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.tests.{FaultDoor, FaultPlan, FaultStorage}
import hudilite.timeline.{Timeline, TimelineFiles}
import hudilite.view.TestTable

/** A fault at every single call of the storage; a fresh instance then finds one of the script's
  * states. HUDILITE_FAULTS=all also kills a process at every call instead of at some. */
class CrashSuite extends AnyFunSuite {

  /** Checks the invariants and returns the state found. */
  private def check(base: Path, fault: String): Map[Int, String] = {
    val table = new TestTable(base, isWatched = true)
    checkMetadata(table, fault)
    val found = table.rows()
    assert(CrashScript.states.contains(found), fault)
    assert(table.rows() == found, fault)
    (1 to 2).foreach(_ => table.merge(1, 3)(_ + "z"))
    val expected = found ++ Map(1 -> (found.getOrElse(1, "") + "zz"), 3 -> "zz")
    assert(table.rows() == expected, fault)
    checkNumbers(base, fault)
    found
  }

  /** A commit is never seen beside a metadata table that readers use and that lacks its files. A kept
    * one lists the files of exactly the published commits. */
  private def checkMetadata(table: TestTable, fault: String): Unit = {
    lazy val config = table.files.config()
    if (table.snapshot.number > 0 && config.hasMetadataTable) {
      assert(config.keepsFiles && config.metadataPartitions == Seq("files"), fault)
      assert(config.metadataInflight.isEmpty, fault)
      val published = Timeline.load(table.files).completedTimes
      val files = KeptFiles.there(table.base).map { case (partition, names) =>
        partition -> names.filter(f => BaseFileName.parse(f._1).exists(n => published(n.instant)))
      }.filter(_._2.nonEmpty)
      assert(KeptFiles.listing(table.base) == files, fault)
    }
  }

  private def checkNumbers(base: Path, fault: String): Unit = {
    val files = TimelineFiles.of(LocalStorage, base)
    val numbers = new CommitNumbers(files)
    val timeline = Timeline.load(files)
    val records = (1L to numbers.list().highest).map(numbers.read)
    val lost = records.filter(_.kind == CommitRecord.Abort).map(_.instant).toSet
    val committed = records.map(_.instant).filterNot(lost)
    assert(timeline.completed.map(_.time) == committed.sorted, fault)
  }

  /** @return states found, one for each call of the storage */
  private def inProcess(action: String, open: (Path, Storage) => TestTable) =
    Iterator.from(1).map(k => struck(s"*:.*:$k:$action", open)).takeWhile(
      _.nonEmpty
    ).flatten.toVector

  private def struck(
      fault: String,
      open: (Path, Storage) => TestTable
  ): Option[Map[Int, String]] = TempFolder.use { dir =>
    val base = Storage.resolve(dir, "t")
    val plan = FaultPlan.parse(fault)
    val table = open(base, FaultStorage.over(LocalStorage, plan))
    val failed = Try(CrashScript.run(table)).isFailure
    val found = check(base, fault)
    assert(failed || found == CrashScript.states.last, fault)
    Option.when(plan.hasStruck)(found)
  }

  private val tables = Seq[(String, (Path, Storage) => TestTable)](
    "" -> ((base, storage) => new TestTable(base, storage)),
    " of a table of version 9 with a metadata table" -> { (base, storage) =>
      val table = TestTable.ofVersion9(base, storage)
      MetadataFolders.plant(base)
      table
    },
    " of a table that keeps its metadata table" -> { (base, storage) =>
      val table = TestTable.ofVersion9(base, storage)
      KeptFiles.plant(base)
      table
    }
  )

  for { action <- Seq("throw", "throwAfter", "stop"); (kind, open) <- tables } {
    // F01, F02, F03, F04, F05, F06, F07, F27
    test(s"the fault $action at any call of the storage$kind leaves the state before or after") {
      val found = inProcess(action, open)
      info(s"${found.length} calls")
      assert(found.toSet == CrashScript.states.toSet)
    }
  }

  // F01, F04, F05, F06, F07
  test("a process that dies leaves the state before or after") {
    val all = sys.env.get("HUDILITE_FAULTS").contains("all")
    val some = Seq(1, 7, 19, 33, 41, 47)
    val places = if (all) Iterator.from(1) else Rotation.third(some).iterator
    val found = places.map(die).takeWhile(_.nonEmpty).flatten.toVector
    info(s"${found.length} places to die")
    assert(found.length >= Rotation.share(some.length) && found.toSet.size > 1)
  }

  /** @return the state found, or nothing when the script has fewer calls */
  private def die(k: Int): Option[Map[Int, String]] = TempFolder.use { dir =>
    val base = Storage.resolve(dir, "t")
    val fault = s"*:.*:$k:halt"
    val layer = s"-Dhudilite.storage.layer=${classOf[FaultDoor].getName}"
    val java =
      Seq(s"${sys.props("java.home")}/bin/java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    val command =
      java ++ Seq("-Xshare:auto", "-Xmx128m", layer, s"-D${FaultDoor.PROPERTY}=$fault", "-cp") ++
        Seq(sys.props("java.class.path"), "hudilite.commit.CrashScript", base.toString)
    val output = new StringBuilder
    val code = Process(command).!(ProcessLogger(line => output.append(line).append('\n'): Unit))
    assert(code == 137 || code == 0, output.toString)
    val found = check(base, fault)
    Option.when(code == 137)(found)
  }
}
