package hudilite.view

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.CommittedFile
import hudilite.error.HudiliteException
import hudilite.format.{BaseFileName, LogFileName, TableConfig}
import hudilite.io.{FileEntry, LocalStorage}
import hudilite.timeline.FileGroupRef

/** Which log files belong to which file slice. */
class LogSlicesSuite extends AnyFunSuite {
  private def t(n: Int): String = f"202401010000000$n%02d"
  private def entry(name: String, length: Long = 7): FileEntry =
    FileEntry(new Path("/t/p", name), length, isDirectory = false)
  private def base(id: String, n: Int): FileEntry = entry(BaseFileName(id, "0-1-0", t(n)).text)
  private def name(id: String, n: Int, version: Int = 1): String =
    LogFileName(id, t(n), version, "0-1-0").text
  private def log(id: String, n: Int, version: Int = 1): FileEntry = entry(name(id, n, version))

  /** Commits 3, 5 and 7; 4 and 8 are pending, older ones were archived. */
  private val six = SnapshotView(
    Set(3, 5, 7).map(t),
    Set(4, 8).map(t),
    Some(t(3)),
    Map(FileGroupRef("p", "gone") -> t(5)),
    logRules = Some(LogRules(None))
  )

  /** View of a table of version 9 with these commits, of which 5 has been completed after 7 began. */
  private val nine =
    six.copy(logRules = Some(LogRules(Some(Map(t(3) -> t(3), t(5) -> t(9), t(7) -> t(8))))))

  /** Returns the slices as texts: file id, instant, then version or instant of each log file. */
  private def shown(view: SnapshotView, entries: FileEntry*): Seq[String] =
    view.latest(entries, "p", _ => None).map { slice =>
      val logs = slice.logs.map(log => s"${log.name.instant.takeRight(1)}.${log.name.version}")
      (s"${slice.fileId}@${slice.instant.takeRight(1)}" +: logs).mkString(" ")
    }

  private def condition(view: SnapshotView, entries: FileEntry*): String =
    intercept[HudiliteException](shown(view, entries: _*)).condition

  test("version 6: a log file names the instant of its slice's base, and versions are numbers") {
    val logs = Seq(10, 9, 2).map(log("a", 5, _)) :+ log("a", 3)
    assert(shown(six, base("a", 3) +: base("a", 5) +: logs: _*) == Seq("a@5 5.2 5.9 5.10"))
    assert(shown(six, base("a", 3), log("b", 3), log("c", 4), log("gone", 3)) ==
      Seq("a@3", "b@3 3.1"))
  }

  test("version 6: log files of a planned compaction follow those of the slice before it") {
    assert(shown(six, log("a", 8), base("a", 5), log("a", 5)) == Seq("a@5 5.1 8.1"))
    assert(condition(six, base("a", 5), log("a", 7)) == "HUDILITE_MISSING_DATA_FILE")
  }

  test("versions 8 and 9: a log file belongs to the base before its completion") {
    val files = Seq(base("a", 3), base("a", 7), log("a", 3), log("a", 5), log("a", 4))
    assert(shown(nine, files: _*) == Seq("a@7 5.1"))
    assert(shown(nine, base("a", 3), log("a", 7), log("a", 5), log("a", 8)) ==
      Seq("a@3 5.1 7.1"))
    assert(shown(nine, log("a", 7), log("a", 5)) == Seq("a@5 5.1 7.1"))
    assert(shown(nine, log("a", 2), log("a", 4)) == Seq("a@2 2.1"))
  }

  /** Records of a table whose archived instants were completed at 4. */
  private def archived(asked: String => Any): InstantRecords = new InstantRecords {
    override def apply(instant: String): Option[Set[String]] = None
    override def completion(instant: String): Option[String] = {
      asked(instant): Unit
      Option.when(instant == t(1))(t(4))
    }
  }

  test("versions 8 and 9: an archived log file belongs to the base before its completion") {
    val files = Seq(base("a", 0), base("a", 3), log("a", 1), log("a", 2), log("a", 5))
    def names(found: InstantRecords) =
      nine.latest(files, "p", found).flatMap(_.logs).map(_.name.instant)
    assert(names(archived(_ => ())) == Seq(1, 5).map(t))
    assert(nine.superseded(files, "p", archived(_ => ())).map(_.instant) == Seq(0, 2).map(t))
    assert(names(_ => None) == Seq(t(5)))
  }

  test("the archive is asked only for archived instants before a base") {
    val never = archived(instant => fail(s"$instant is asked for"))
    assert(nine.latest(Seq(base("a", 3), log("a", 3), log("a", 5), log("b", 1)), "p", never)
      .map(_.logs.size) == Seq(2, 1))
    assert(nine.latest(Seq(base("a", 0), log("a", 1), log("a", 2)), "p", never)
      .flatMap(_.logs).size == 2)
    assert(six.latest(Seq(base("a", 3), log("a", 1)), "p", never).flatMap(_.logs).isEmpty)
  }

  /** Returns the names of the superseded files, with the last digit of the instant and the version. */
  private def superseded(view: SnapshotView, entries: FileEntry*): Seq[String] =
    view.superseded(entries, "p", _ => None).map { file =>
      val version = LogFileName.parse(file.fileName).fold("")(name => s".${name.version}")
      s"${file.fileId}@${file.instant.takeRight(1)}$version"
    }

  test("superseded are the log files before a slice and those of hidden file groups") {
    val logs = Seq(log("a", 3), log("a", 3, 2), log("a", 5), log("gone", 3), log("b", 3))
    val bases = Seq(base("a", 3), base("a", 5), base("gone", 3))
    assert(superseded(six, bases ++ logs: _*).toSet ==
      Set("a@3", "gone@3", "a@3.1", "a@3.2", "gone@3.1"))
    assert(superseded(nine, bases ++ logs: _*).toSet ==
      Set("a@3", "gone@3", "a@3.1", "a@3.2", "gone@3.1"))
    assert(superseded(nine, base("a", 3), base("a", 7), log("a", 5)) == Seq("a@3"))
  }

  test("log files of a planned compaction or a pending commit are not superseded") {
    assert(superseded(six, base("a", 5), base("a", 7), log("a", 8), log("a", 4)) == Seq("a@5"))
    assert(superseded(nine, base("a", 5), base("a", 7), log("a", 8), log("a", 4)) == Seq("a@5"))
    assert(superseded(six, log("a", 4), log("gone", 8)).isEmpty)
  }

  test("a log file that a commit wrote and that is gone or shorter is an error") {
    def written(length: Long) = six.copy(writtenLogs =
      Map("p" -> Map("a" -> Vector(CommittedFile(t(5), name("a", 3), length))))
    )
    assert(shown(written(7), base("a", 3), log("a", 3)) == Seq("a@3 3.1"))
    assert(shown(written(7), base("a", 3), base("a", 5)) == Seq("a@5"))
    assert(condition(written(7), base("a", 3)) == "HUDILITE_MISSING_DATA_FILE")
    assert(condition(written(8), base("a", 3), log("a", 3)) == "HUDILITE_CORRUPT_DATA_FILE")
  }

  test("a lost log file of a file group that has no base is an error") {
    def written(view: SnapshotView, instants: Int*) = view.copy(writtenLogs =
      Map("p" -> Map("b" -> instants.map(n => CommittedFile(t(n), name("b", n), 7)).toVector))
    )
    Seq(six, nine).foreach { view =>
      assert(shown(written(view, 3), base("a", 3), log("b", 3)) == Seq("a@3", "b@3 3.1"))
      assert(condition(written(view, 3), base("a", 3)) == "HUDILITE_MISSING_DATA_FILE")
      assert(shown(written(view, 4), base("a", 3)) == Seq("a@3"), "it was not committed")
      val hidden = view.replaced + (FileGroupRef("p", "b") -> t(5))
      assert(shown(written(view, 3).copy(replaced = hidden), base("a", 3)) == Seq("a@3"))
    }
    assert(shown(written(nine, 3, 5), log("b", 3), log("b", 5)) == Seq("b@3 3.1 5.1"))
    assert(condition(written(nine, 3, 5), log("b", 5)) == "HUDILITE_MISSING_DATA_FILE")
    assert(shown(written(nine, 3, 5), base("b", 7), log("b", 5)) == Seq("b@7 5.1"))
  }

  test("a table that is not merge-on-read has no log files, and names are not guessed") {
    val copyOnWrite = six.copy(logRules = None)
    assert(condition(copyOnWrite, base("a", 3), log("a", 3)) == "HUDILITE_UNSUPPORTED_TABLE")
    val unusual = entry(s".a_${t(3)}.log.1_token")
    assert(condition(six, base("a", 3), unusual) == "HUDILITE_UNSUPPORTED_TABLE")
    assert(shown(six, base("a", 3), entry(s"${name("a", 3)}.cdc")) == Seq("a@3"))
  }

  test("a slice of a bootstrapped file group without its skeleton is an error") {
    LogTable.each { table =>
      val bootstrapped = table.config.bootstrapped("file:/source", adopts = true)
      LocalStorage.replace(table.files.properties, TableConfig.render(bootstrapped))
      val source = SourceFile(new Path("file:/source/p=a/x.parquet"), 1L, 2L)
      val adopted = BootstrapPartition(table.partition, table.partition, Map("x" -> source))
      BootstrapIndex.write(table.files, new Path("file:/source"), Seq(adopted), 3L)
      def alone(fileId: String, instant: String) = FileSlice(
        table.partition,
        fileId,
        instant,
        SliceBase.NoBase,
        Seq(LogFile.of(entry(LogFileName(fileId, instant, 1, "0-1-0").text)).get)
      )
      for (instant <- Seq(BootstrapIndex.instant, t(3))) {
        val own = Seq(alone("y", t(3)))
        assert(table.snapshot.withSources(table.partition, own) == own)
        val fault = intercept[HudiliteException] {
          table.snapshot.withSources(table.partition, Seq(alone("x", instant)))
        }
        assert(fault.condition == "HUDILITE_MISSING_DATA_FILE")
      }
    }
  }
}
