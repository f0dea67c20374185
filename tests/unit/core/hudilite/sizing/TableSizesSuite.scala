package hudilite.sizing

import java.nio.file.{Files, Paths}
import java.util.concurrent.atomic.AtomicLong

import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.{BaseFileName, FileId, LogFileName, TableConfig}
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.timeline.{CommitMetadata, TimelineFiles}
import hudilite.view.{LoadCost, TableSnapshot, TestTable}

class TableSizesSuite extends AnyFunSuite {
  private val day = 24L * 60 * 60 * 1000

  test("sizes, rows, skew and growth of a table") {
    TempFolder.use { dir =>
      val start = 1790000000000L
      val clock = new AtomicLong(start)
      val table = new TestTable(Storage.resolve(dir, "t"), clock = () => clock.get)
      table.merge(1, 2)(_ => "x" * 1000)
      clock.set(start + 5 * day)
      table.merge(2)(_ + "y" * 500)
      val sizes = TableSizes.of(table.snapshot, start + 10 * day)
      assert(sizes.files == Map(TestTable.partition -> Seq(1000L, 1500L)))
      assert(sizes.rows.contains(2L) && sizes.logBytes == 0 && sizes.spread.isEmpty)
      assert(sizes.largest.contains(1500L) && sizes.skew(2).contains(1.2))
      assert(sizes.growth.map(_.days.round).contains(10L))
      assert(sizes.growth.map(_.perDay).contains(50L))
      assert(sizes.after(90) == Map(TestTable.partition -> 7000L))
      assert(sizes.bytesAfter(90).contains(7000L))
    }
  }

  test("a table without a commit has no sizes") {
    TestTable.use { table =>
      assert(TableSizes.of(table.snapshot, 0) == TableSizes(Map.empty, rows = Some(0)))
    }
  }

  test("log files count beside a base file, and as the size of a file group without one") {
    TempFolder.use { dir =>
      val base = Storage.resolve(dir, "t")
      val kind = TableConfig.Key.tableType -> TableConfig.Key.mergeOnRead
      val config = TableConfig(TestTable.facts.properties + kind)
      TempFolder.write(Storage.resolve(base, ".hoodie/hoodie.properties"), text(config))
      val instant = "20260101000000000"
      val partition = TestTable.partition
      val ids = Seq(0, 1).map(FileId.bucket(config.uuid, partition, _, ""))
      def write(name: String, bytes: Int): String = {
        val path = s"$partition/$name"
        TempFolder.write(Storage.resolve(base, path), "x" * bytes)
        path
      }
      val path = write(BaseFileName(ids.head, "0-1-0", instant).text, 4)
      ids.zip(Seq(7, 11)).foreach { case (id, bytes) =>
        write(LogFileName(id, instant, 1, "0-1-0").text, bytes)
      }
      val stats = Seq(TestTable.stat(ids.head, path, None, 4))
      TempFolder.write(Storage.resolve(base, s".hoodie/$instant.deltacommit"),
        CommitMetadata("UPSERT", TestTable.schema, stats).toJson)
      val files = TimelineFiles.of(LocalStorage, base)
      val sizes = TableSizes.of(TableSnapshot.load(files, files.config()), 1800000000000L)
      assert(sizes.files.view.mapValues(_.sorted).toMap == Map(partition -> Seq(4L, 11L)))
      assert(sizes.bytes == 15 && sizes.logBytes == 7 && sizes.rows.isEmpty)
      assert(sizes.largest.contains(11L))
    }
  }

  test("10,000 files cost one listing of each partition, and no read of a file") {
    TempFolder.use { dir =>
      val (partitions, buckets) = (10, 1000)
      val base = Storage.resolve(dir, "t")
      val config =
        TableConfig(TestTable.facts.properties + ("hudilite.bucket.count" -> s"$buckets"))
      val instant = "20260101000000000"
      TempFolder.write(Storage.resolve(base, ".hoodie/hoodie.properties"), text(config))
      val stats = for (p <- 0 until partitions; bucket <- 0 until buckets) yield {
        val id = FileId.bucket(config.uuid, s"p=$p", bucket, "")
        val path = s"p=$p/${BaseFileName(id, "0-1-0", instant).text}"
        if (bucket == 0) TempFolder.write(Storage.resolve(base, path), "rows")
        else Files.writeString(Paths.get(Storage.resolve(base, path).toUri.getPath), "rows")
        TestTable.stat(id, path, None, 4).copy(partitionPath = s"p=$p")
      }
      val commit = CommitMetadata("INSERT", TestTable.schema, stats).toJson
      TempFolder.write(Storage.resolve(base, s".hoodie/$instant.commit"), commit)
      val counted = new LoadCost.Counted
      val files = TimelineFiles.of(counted.storage, base)
      val sizes = TableSizes.of(TableSnapshot.load(files, files.config()), 1800000000000L)
      assert(sizes.sorted.size == partitions * buckets && sizes.bytes == 4L * partitions * buckets)
      assert(sizes.rows.contains(10000L) && sizes.growth.map(_.perDay).contains(0L))
      val around = 15 // listings of the table's folder and its metadata, properties, the commit
      assert(counted.cost.calls <= partitions + around, counted.cost)
      assert(counted.cost.entries <= partitions * buckets + 100, counted.cost)
      assert(counted.cost.bytes <= 2L * commit.length + 20000, counted.cost)
    }
  }

  private def text(config: TableConfig): String = new String(TableConfig.render(config), "UTF-8")
}
