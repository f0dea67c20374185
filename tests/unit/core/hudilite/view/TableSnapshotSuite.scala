package hudilite.view

import java.nio.file.Paths

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.io.LocalInputFile
import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.CommitBase
import hudilite.error.HudiliteException
import hudilite.format.BaseFileName
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.timeline.{AvroFiles, CommitMetadata, ListedTwice, SchemaHistory, TimelineFiles}

class TableSnapshotSuite extends AnyFunSuite {
  import TestTable.use

  private def put(table: TestTable, path: String, text: String): Unit =
    TempFolder.write(Storage.resolve(table.base, path), text)

  private def replace(table: TestTable, time: String, ids: String*): Unit =
    put(
      table,
      s".hoodie/$time.replacecommit",
      CommitMetadata("INSERT_OVERWRITE", "", Nil, Map(table.partition -> ids)).toJson
    )

  test("a new table has its first schema, no commit and no rows") {
    use { table =>
      val snapshot = table.snapshot
      assert(
        snapshot.number == 0 && snapshot.lastInstant.isEmpty && snapshot.base == CommitBase.empty
      )
      assert(snapshot.schema.contains(TestTable.schema))
      assert(snapshot.partitions().isEmpty && snapshot.slices(table.partition).isEmpty)
    }
  }

  // F23, F28
  test("a snapshot keeps showing its commit while others commit") {
    use { table =>
      table.merge(1)(_ => "one")
      val before = table.snapshot
      table.merge(1, 2)(_ + "+two")
      assert(before.slices(table.partition).map(s => TempFolder.text(s.path)) == Seq("one"))
      assert(table.rows() == Map(1 -> "one+two", 2 -> "+two"))
      assert(before.number == 1 && table.snapshot.number == 2)
      assert(TestTable.slice(table.snapshot, table.partition, 2).exists(_.length == 4))
      assert(TestTable.slice(table.snapshot, table.partition, 3).isEmpty)
    }
  }

  test("the schema is that of the latest commit that carries one") {
    use { table =>
      table.merge(1)(_ => "one")
      put(table, ".hoodie/29990101000000000.commit", CommitMetadata("DELETE", "", Nil).toJson)
      assert(table.snapshot.schema.contains(TestTable.schema))
      put(table, ".hoodie/29990101000000001.commit", CommitMetadata("UPSERT", "{}", Nil).toJson)
      assert(table.snapshot.schema.contains("{}"))
    }
  }

  test(
    "a compaction or a clustering does not decide about the schema, unless there is no other commit"
  ) {
    use { table =>
      def commit(n: Int, operation: String, schema: String, extra: (String, String)*) = put(
        table,
        s".hoodie/2999010100000000$n.commit",
        CommitMetadata(operation, schema, Nil, extra = extra.toMap).toJson
      )
      commit(0, "COMPACT", "{0}")
      assert(table.snapshot.schema.contains("{0}"))
      commit(1, "UPSERT", "{1}", SchemaHistory.entry -> "numbers")
      commit(2, "CLUSTER", "{2}")
      commit(3, "COMPACT", "{3}")
      assert(table.snapshot.hasColumnNumbers)
      commit(1, "UPSERT", "{1}")
      assert(table.snapshot.schema.contains("{1}") && !table.snapshot.hasColumnNumbers)
    }
  }

  test(
    "partitions are the folders with a metafile, at the depth of the partition columns or below"
  ) {
    use { table =>
      table.config
      Seq("p=a", "p=b", "p=c/deep").foreach(
        PartitionMetafile.write(LocalStorage, table.base, _, "1", 1)
      )
      put(table, "p=none/x", "")
      put(table, "p=a/inner/.hoodie_partition_metadata", "")
      assert(table.snapshot.partitions() == Seq("p=a", "p=b", "p=c/deep"))
      assert(table.snapshot.partitions(values => values == Seq(Some("b"))) == Seq("p=b"))
      val plain = table.config.copy(
        table.config.properties + ("hoodie.datasource.write.partitionpath.urlencode" -> "false")
      )
      val foreign = TableSnapshot.load(table.files, plain)
      assert(foreign.partitions(values => values == Seq(Some("b"))) == Seq("p=b", "p=c/deep"))
      PartitionMetafile.write(LocalStorage, table.base, ".csv", "1", 1)
      val flat = plain.copy(
        plain.properties + ("hoodie.datasource.write.hive_style_partitioning" -> "false")
      )
      val all = TableSnapshot.load(table.files, flat).partitions()
      assert(all == Seq(".csv", "p=a", "p=b", "p=c/deep"))
    }
  }

  test("folders are not opened that the texts of the first partition columns exclude") {
    TempFolder.use { dir =>
      val two = TestTable.facts.copy(
        TestTable.facts.properties + ("hoodie.table.partition.fields" -> "r,p")
      )
      val folders = for (r <- Seq("a", "b"); p <- Seq("c", "d")) yield s"r=$r/p=$p"
      folders.foreach(PartitionMetafile.write(LocalStorage, dir, _, "1", 2))
      val snapshot = TableSnapshot.load(TimelineFiles.of(LocalStorage, dir), two)
      def named(values: Seq[Option[String]]) = values == Seq(Some("b"), Some("c"))
      def below(values: Seq[Option[String]]) = {
        assert(values.size == 1)
        values == Seq(Some("b"))
      }
      assert(snapshot.partitions() == folders)
      assert(snapshot.partitions(named, below) == Seq("r=b/p=c"))
      assert(snapshot.partitions(below = below) == Seq("r=b/p=c", "r=b/p=d"))
    }
  }

  test("a partition metafile is what stock Hudi reads and is written once") {
    use { table =>
      PartitionMetafile.write(LocalStorage, table.base, "p=a", "20240101000000000", 1)
      PartitionMetafile.write(LocalStorage, table.base, "p=a", "20250101000000000", 1)
      val text = TempFolder.text(Storage.resolve(table.base, "p=a/.hoodie_partition_metadata"))
      assert(
        text.linesIterator.filterNot(_.startsWith("#")).toSeq ==
          Seq("commitTime=20240101000000000", "partitionDepth=1")
      )
    }
  }

  test("a metafile may be a Parquet file without rows, whose footer contains the same") {
    use { table =>
      Seq("20240101000000000", "20250101000000000").foreach { time =>
        PartitionMetafile.write(LocalStorage, table.base, "p=a", time, 1, asParquet = true)
      }
      val path = Storage.resolve(table.base, "p=a/.hoodie_partition_metadata.parquet")
      assert(TempFolder.names(path.getParent) == Set(path.getName))
      Using.resource(ParquetFileReader.open(new LocalInputFile(Paths.get(path.toUri)))) { file =>
        val entries = file.getFileMetaData.getKeyValueMetaData.asScala
        assert(entries("commitTime") == "20240101000000000" && entries("partitionDepth") == "1")
        assert(file.getRecordCount == 0)
      }
      val other = table.config.copy(
        table.config.properties + ("hoodie.partition.metafile.use.base.format" -> "true")
      )
      assert(TableSnapshot.load(table.files, other).partitions() == Seq("p=a"))
      assert(table.snapshot.partitions().isEmpty)
    }
  }

  test("a table without partition columns is one partition") {
    TempFolder.use { dir =>
      val config = TestTable.facts.copy(
        TestTable.facts.properties + ("hoodie.table.partition.fields" -> "")
      )
      assert(
        TableSnapshot.load(TimelineFiles.of(LocalStorage, dir), config).partitions() == Seq("")
      )
    }
  }

  test("replaced file groups vanish, and the next file group of their bucket gets a new epoch") {
    use { table =>
      table.merge(1, 2)(_ => "old")
      val first = TestTable.slice(table.snapshot, table.partition, 1).fold("")(_.fileId)
      assert(table.snapshot.view.epoch(table.partition, 1) == "")
      replace(table, "29990101000000000", first)
      assert(table.rows() == Map(2 -> "old"))
      assert(table.snapshot.view.epoch(table.partition, 1) == "29990101000000000")
      assert(table.snapshot.view.epoch(table.partition, 2) == "")
      assert(table.snapshot.view.epoch("p=b", 1) == "")
      table.merge(1)(_ + "new")
      assert(table.rows() == Map(1 -> "new", 2 -> "old"))
      assert(TestTable.slice(table.snapshot, table.partition, 1).forall(_.fileId != first))
    }
  }

  // F49
  test("two file groups in one bucket are refused with their names") {
    use { table =>
      val time = table.merge(1)(_ => "x").instant
      val other = BaseFileName("00000001-0000-0000-0000-000000000000-0", "0-1-0", time).text
      put(table, s"${table.partition}/$other", "y")
      val e = intercept[HudiliteException](table.rows())
      assert(e.condition == "HUDILITE_DUPLICATE_BUCKET_FILE" && e.parameters("bucket") == "1")
      assert(e.parameters("files").contains(other))
    }
  }

  // F14
  test("the commit decides between two attempts of one instant") {
    use { table =>
      val time = table.merge(1)(_ => "good").instant
      val id = TestTable.slice(table.snapshot, table.partition, 1).fold("")(_.fileId)
      put(table, s"${table.partition}/${BaseFileName(id, "9-9-9", time).text}", "lost attempt")
      put(table, s"${table.partition}/${BaseFileName(id, "0-0-0", time).text}", "lost attempt")
      assert(table.rows() == Map(1 -> "good"))
    }
  }

  // F44, F45
  // F44, F45
  test("a file that is gone or has another length than its commit says is no older slice") {
    use { table =>
      table.merge(1, 2)(_ => "old")
      val time = table.merge(1)(_ => "new").instant
      table.merge(2)(_ => "later")
      val slice = TestTable.slice(table.snapshot, table.partition, 1).get
      put(table, s"${table.partition}/${slice.fileName}", "new and more")
      val longer = intercept[HudiliteException](table.rows())
      assert(longer.condition == "HUDILITE_CORRUPT_DATA_FILE")
      assert(longer.parameters("path") == slice.path.toString)
      LocalStorage.delete(slice.path)
      val gone = intercept[HudiliteException](table.rows())
      assert(gone.condition == "HUDILITE_MISSING_DATA_FILE")
      assert(gone.parameters("path") == slice.path.toString)
      assert(gone.parameters("instant") == time)
      intercept[HudiliteException](TestTable.slice(table.snapshot, table.partition, 2))
    }
  }

  test("a table with consistent hashing or other bucket rules is read and not written") {
    use { table =>
      table.merge(1)(_ => "one")
      table.snapshot.checkBucketRules()
      put(table, ".hoodie/.bucket_index/consistent_hashing_metadata/p=a/x.hashing_meta", "{}")
      assert(table.rows() == Map(1 -> "one"))
      assert(table.snapshot.bucketRules.contains("consistent_hashing_metadata"))
      val e = intercept[HudiliteException](table.snapshot.checkBucketRules())
      assert(e.condition == "HUDILITE_TABLE_READ_ONLY")
      assert(e.parameters("value") == "consistent_hashing_metadata")
    }
  }

  // F35
  test("a damaged replacecommit is refused, a damaged older commit is not read") {
    use { table =>
      table.merge(1)(_ => "one")
      put(table, ".hoodie/20200101000000000.commit", "{cut")
      assert(table.rows() == Map(1 -> "one"))
      put(table, ".hoodie/20200101000000001.replacecommit", "{cut")
      val e = intercept[HudiliteException](table.snapshot)
      assert(e.condition == "HUDILITE_CORRUPT_TIMELINE")
    }
  }

  test("the view can be sent to tasks") {
    use { table =>
      table.merge(1)(_ => "one")
      val bytes = new java.io.ByteArrayOutputStream
      new java.io.ObjectOutputStream(bytes).writeObject(table.snapshot.view)
      val in = new java.io.ObjectInputStream(new java.io.ByteArrayInputStream(bytes.toByteArray))
      assert(in.readObject == table.snapshot.view)
    }
  }

  // F56
  test("a snapshot reads through a folder that it may not write") {
    use { table =>
      table.merge(1)(_ => "one")
      val files = TimelineFiles.of(new RefusingStorage, table.base)
      assert(TableSnapshot.load(files, files.config()).slices(table.partition).length == 1)
    }
  }

  private def refusedFact(call: => Any): String = {
    val e = intercept[HudiliteException](call)
    assert(e.condition == "HUDILITE_UNSUPPORTED_TABLE")
    e.parameters("fact")
  }

  test("a log file is refused with the partition that holds it") {
    use { table =>
      table.merge(1)(_ => "one")
      put(table, s"${table.partition}/.00000001-ab_20240101000000000.log.1_0-1-0", "x")
      assert(refusedFact(table.snapshot.slices(table.partition)) == "a log file")
    }
  }

  test("pending services of stock Hudi are refused, finished and other ones are not") {
    use { table =>
      table.merge(1)(_ => "one")
      table.snapshot.checkNothingPlanned()
      AvroFiles.requestedReplace(table.base, "20990101000000000", isClustering = false)
      table.snapshot.checkNothingPlanned()
      AvroFiles.requestedReplace(table.base, "20990101000000001", isClustering = true)
      assert(refusedFact(table.snapshot.checkNothingPlanned()) == "pending clustering")
      replace(table, "20990101000000001", "id")
      table.snapshot.checkNothingPlanned()
      put(table, ".hoodie/20990101000000002.compaction.requested", "")
      assert(refusedFact(table.snapshot.checkNothingPlanned()) == "pending compaction")
      put(table, ".hoodie/20990101000000002.commit", CommitMetadata("COMPACT", "", Nil).toJson)
      table.snapshot.checkNothingPlanned()
    }
  }
}

/** Storage that can only be read. */
class RefusingStorage extends ListedTwice {
  import org.apache.hadoop.fs.Path
  override def createNew(path: Path, bytes: Array[Byte]): Boolean = refuse(path)
  override def delete(path: Path): Boolean = refuse(path)
  override def deleteTree(dir: Path): Boolean = refuse(dir)
  override def mkdirs(dir: Path): Unit = refuse(dir)
  override def fsync(path: Path): Unit = refuse(path)
  private def refuse(path: Path): Nothing = throw new java.io.IOException(s"read-only: $path")
}
