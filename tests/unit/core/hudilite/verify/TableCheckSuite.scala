package hudilite.verify

import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.TableConfig
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.timeline.{Timeline, TimelineFiles}
import hudilite.view.{PartitionMetafile, TestTable}

class TableCheckSuite extends AnyFunSuite {
  import TestTable.use

  private def numbers(table: TestTable) =
    Storage.resolve(table.base, ".hoodie/.hudilite/commits")

  private def codes(table: TestTable): Seq[(String, String)] =
    TableCheck.run(table.files, files = true).findings
      .map(f => f.code -> f.path.drop(f.path.lastIndexOf('/') + 1))

  test("a table that is whole has no finding, and the rows that its commits counted") {
    use { table =>
      table.merge(1, 2)(_ => "one")
      table.merge(2, 3)(_ + "+two")
      val check = TableCheck.run(table.files, files = true)
      assert(check.findings.isEmpty)
      assert(check.table.map(_.slices.map(_.rows)).contains(Seq.fill(3)(Some(1L))))
    }
  }

  test("a gap of several numbers is one finding, and a hint keeps the highest known") {
    use { table =>
      (1 to 5).foreach(n => table.merge(n)(_ => "x"))
      Seq(2, 3, 5).foreach(n => LocalStorage.delete(Storage.resolve(numbers(table), f"$n%020d")))
      val found = TableCheck.run(table.files, files = false).findings
      val missing = found.filter(_.code == "NUMBER_MISSING").sortBy(_.path)
      assert(missing.map(_.path.takeRight(2)) == Seq("02", "05"))
      assert(missing.head.detail.endsWith("nor do the numbers up to 3"))
      assert(found.map(_.code).toSet == Set("NUMBER_MISSING", "TIMELINE_DAMAGED", "NOT_CHECKED"))
    }
  }

  test("a hint of another instant than its number's is a finding") {
    use { table =>
      val one = table.merge(1)(_ => "x")
      LocalStorage.delete(Storage.resolve(numbers(table), f"${1}%020d-${one.instant}"))
      TempFolder.write(Storage.resolve(numbers(table), f"${1}%020d-20240101000000000"), "")
      assert(codes(table).contains("NUMBER_DAMAGED" -> f"${1}%020d"))
    }
  }

  test("whoever has committed since the snapshot was taken leaves nothing stray") {
    use { table =>
      table.merge(1)(_ => "x")
      val before = table.snapshot
      table.merge(1, 2)(_ => "y")
      val running = table.start(table.snapshot, Seq(3))(_ => "z")
      val folders = Folder.all(LocalStorage, table.base, table.config)
      val now = Timeline.load(TimelineFiles.of(LocalStorage, table.base))
      val found = new StrayCheck(table.config, before.view, now, _ => None)
        .run(TimelineFiles.of(LocalStorage, table.base), folders)
      assert(found.map(_.code) == Seq("PENDING_FILE"))
      assert(found.head.path == running.stats.head.path)
    }
  }

  test("without URL encoding a partition may lie deeper, and is looked for as readers do") {
    use { table =>
      val config =
        TableConfig(table.config.properties + (TableConfig.Key.urlEncode -> "false"))
      Seq("p=1", "p=2/3").foreach { partition =>
        PartitionMetafile.write(LocalStorage, table.base, partition, "20240101000000000", 1)
      }
      LocalStorage.mkdirs(Storage.resolve(table.base, "p=1/below"))
      LocalStorage.mkdirs(Storage.resolve(table.base, "p=4/5"))
      def paths(config: TableConfig) =
        Folder.all(LocalStorage, table.base, config).map(_.path).toSet
      assert(paths(config) == Set("", "p=1", "p=2", "p=2/3", "p=4", "p=4/5"))
      assert(paths(table.config) == Set("", "p=1", "p=2", "p=4"))
    }
  }
}
