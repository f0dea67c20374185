package hudilite.view

import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.{AsOf, Committed, TimelineEntry}
import hudilite.error.HudiliteException
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.timeline.{CommitMetadata, PendingPlans, StockCommits, Timeline, TimelineFiles}
import hudilite.verify.TableCheck

/** Tables of versions 8 and 9 as stock Hudi leaves them. */
class StockTableSuite extends AnyFunSuite {
  import StockTable.use

  private def t(n: Int): String = f"2024010100000$n%04d"

  private def past(table: StockTable, asked: AsOf): Set[String] = {
    val (files, config) = table.opened
    table.rows(TableSnapshot.load(files, config, Some(asked)))
  }

  test("both versions are read, with or without a metadata table") {
    for { version <- Seq("8", "9"); metadata <- Seq("", "column_stats,files,partition_stats") }
      TempFolder.use { dir =>
        val table = new StockTable(Storage.resolve(dir, "t"), version, metadata)
        table.commit(t(1), t(2), "f", "g")
        TempFolder.write(table.at(".hoodie/metadata/.hoodie/hoodie.properties"), "x=y\n")
        TempFolder.write(table.at(".hoodie/metadata/files/files-0000-0_0-1-0_1.hfile"), "x")
        table.commit(t(3), t(4), "f")
        assert(table.rows() == Set(s"f at ${t(3)}", s"g at ${t(1)}"))
        val (files, config) = table.opened
        assert(files.folder.getName == "timeline" && config.version.code == version)
        assert(config.metadataPartitions.mkString(",") == metadata && config.isWritable)
        assert(table.snapshot.schema.contains(TestTable.schema))
        assert(table.snapshot.partitions() == Seq("p=a"))
        assert(TableCheck.run(files, files = true).findings.isEmpty)
      }
  }

  test(
    "the requested time decides which file is the latest, the completion when a commit was seen"
  ) {
    use { table =>
      table.commit(t(1), t(4), "f", "g")
      table.commit(t(2), t(3), "f")
      assert(table.rows() == Set(s"f at ${t(2)}", s"g at ${t(1)}"))
      assert(past(table, AsOf.Version(t(2))) == Set(s"f at ${t(2)}"))
      assert(past(table, AsOf.Version(t(1))) == Set(s"f at ${t(2)}", s"g at ${t(1)}"))
      assert(past(table, AsOf.Until(t(3), "three")) == Set(s"f at ${t(2)}", s"g at ${t(1)}"))
      assert(Committed.steps(table.opened._1) == Vector(Vector(t(2)), Vector(t(1))))
    }
  }

  test("a commit of stock Hudi has no number before hudilite writes") {
    use { table =>
      table.commit(t(1), t(2), "f")
      val fault = intercept[HudiliteException](past(table, AsOf.Number(1)))
      assert(fault.condition == "HUDILITE_VERSION_NOT_FOUND")
      assert(
        fault.parameters("reason") == "its commits have no numbers until hudilite writes to it"
      )
      assert(table.snapshot.lastVersion.contains(t(1)))
    }
  }

  test("replaced file groups are hidden from their replacement on") {
    use { table =>
      table.commit(t(1), t(2), "f", "g")
      table.replace(t(3), t(4), "h", "f")
      assert(table.rows() == Set(s"g at ${t(1)}", s"h at ${t(3)}"))
      assert(past(table, AsOf.Version(t(1))) == Set(s"f at ${t(1)}", s"g at ${t(1)}"))
    }
  }

  test("files of a pending commit or clustering do not count, even below the first commit") {
    use { table =>
      val clustered = StockCommits.file(StockTable.metadata(Seq(table.file(t(1), "c"))))
      table.put(s"${t(1)}.clustering.requested", clustered)
      table.put(s"${t(1)}.clustering.inflight")
      table.file(t(2), "p"): Unit
      table.put(s"${t(2)}.commit.requested")
      table.put(s"${t(2)}.inflight")
      table.commit(t(3), t(4), "f")
      assert(table.rows() == Set(s"f at ${t(3)}"))
      val (files, _) = table.opened
      val timeline = Timeline.load(files)
      assert(timeline.pending == Set(t(1), t(2)))
      val e = intercept[HudiliteException](PendingPlans.check(files, timeline))
      assert(e.parameters("fact") == "pending clustering" && e.parameters("value") == t(1))
      val findings = TableCheck.run(files, files = true).findings
      assert(findings.map(_.code).toSet == Set("INSTANT_PENDING", "PENDING_FILE"))
    }
  }

  test("a completed clustering is one instant, whose plan says when it was requested") {
    use { table =>
      table.commit(t(1), t(2), "f")
      table.put(s"${t(3)}.clustering.requested", Array[Byte](1))
      table.put(s"${t(3)}.clustering.inflight")
      table.replace(t(3), t(4), "h", "f")
      val (files, _) = table.opened
      PendingPlans.check(files, Timeline.load(files))
      assert(table.rows() == Set(s"h at ${t(3)}"))
      val entry = TimelineEntry.load(files).last
      assert(entry.instant.action == "replacecommit" && entry.instant.completion.contains(t(4)))
      assert(entry.requestedMillis.nonEmpty && entry.completedMillis.nonEmpty)
      assert(TimelineEntry.load(files).size == 2)
      assert(TableCheck.run(files, files = true).findings.isEmpty)
    }
  }

  test("a compaction is planned until the action under which it is completed is there") {
    for ((planned, completed) <- Seq("compaction" -> "commit", "logcompaction" -> "deltacommit"))
      use { table =>
        table.commit(t(1), t(2), "f")
        table.put(s"${t(3)}.$planned.requested", Array[Byte](1))
        table.put(s"${t(3)}.$planned.inflight")
        val (files, _) = table.opened
        val e = intercept[HudiliteException](PendingPlans.check(files, Timeline.load(files)))
        assert(e.parameters("fact") == "pending compaction" && e.parameters("value") == t(3))
        table.put(s"${t(3)}_${t(4)}.$completed", Array[Byte](1))
        PendingPlans.check(files, Timeline.load(files))
      }
  }

  test("files below the first active commit are archived ones") {
    use { table =>
      table.file(t(1), "old"): Unit
      TempFolder.write(table.at(s".hoodie/timeline/history/${t(1)}_${t(2)}_0.parquet"), "x")
      table.commit(t(3), t(4), "f")
      assert(table.rows() == Set(s"old at ${t(1)}", s"f at ${t(3)}"))
    }
  }

  // F41
  test("of two times of completion the earlier counts, and verify tells of the other") {
    use { table =>
      val one = StockCommits.file(StockTable.metadata(Seq(table.file(t(1), "f"))))
      val other = StockCommits.file(CommitMetadata("OTHER", "", Nil))
      table.put(s"${t(1)}_${t(3)}.commit", other)
      table.put(s"${t(1)}_${t(2)}.commit", one)
      val (files, _) = table.opened
      val timeline = Timeline.load(files)
      assert(timeline.completed.map(_.completion) == Vector(Some(t(2))))
      assert(timeline.stamps(t(1)).bytes == one.length)
      assert(Committed.load(files).metadata(files, t(1)).map(_.operationType).contains("UPSERT"))
      assert(table.rows() == Set(s"f at ${t(1)}"))
      val found = TableCheck.run(files, files = true).findings
      assert(found.map(f => f.severity -> f.code) == Seq("WARNING" -> "INSTANT_COMPLETED_TWICE"))
      assert(found.head.path == s".hoodie/timeline/${t(1)}_${t(3)}.commit")
    }
  }

  // F41
  test("an instant that is completed as two actions is refused") {
    use { table =>
      table.commit(t(1), t(2), "f")
      table.replace(t(1), t(3), "f")
      val e = intercept[HudiliteException](table.snapshot)
      assert(e.condition == "HUDILITE_CORRUPT_TIMELINE")
    }
  }

  // F34
  test("an empty completed file is refused by name") {
    use { table =>
      table.put(s"${t(1)}_${t(2)}.commit")
      val e = intercept[HudiliteException](table.snapshot)
      assert(e.condition == "HUDILITE_CORRUPT_TIMELINE")
      assert(e.parameters("path").endsWith(s"${t(1)}_${t(2)}.commit"))
    }
  }

  test("a time of completion that is missing or too early is read, and verify warns") {
    use { table =>
      val json = StockTable.metadata(Seq(table.file(t(1), "f"))).toJson
      table.put(s"${t(1)}.commit", TempFolder.bytes(json))
      table.commit(t(3), t(2), "g")
      assert(table.rows() == Set(s"f at ${t(1)}", s"g at ${t(3)}"))
      val (files, _) = table.opened
      val found = TableCheck.run(files, files = true).findings
      assert(found.map(_.code).sorted == Seq("COMPLETION_EARLY", "COMPLETION_UNKNOWN"))
      assert(found.forall(_.severity == "WARNING"))
    }
  }

  test("the table version in the properties chooses the layout, also in damaged properties") {
    use { table =>
      val properties = table.at(".hoodie/hoodie.properties")
      def layout = TimelineFiles.of(LocalStorage, table.base).layout.timeline
      val stated = TempFolder.text(properties)
      assert(layout == ".hoodie/timeline")
      TempFolder.write(properties, stated.replace("COPY_ON_WRITE", "?"))
      assert(layout == ".hoodie/timeline")
      intercept[HudiliteException](table.opened)
      val six = stated.replace("version=9", "version=6").replace("version=2", "version=1")
      TempFolder.write(properties, six)
      assert(layout == ".hoodie" && table.opened._1.layout.timeline == ".hoodie")
      TempFolder.write(properties, "\\u1")
      assert(layout == ".hoodie")
      LocalStorage.delete(properties)
      assert(layout == ".hoodie")
    }
  }
}
