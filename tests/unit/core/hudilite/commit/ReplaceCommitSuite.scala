package hudilite.commit

import java.io.ByteArrayInputStream

import scala.jdk.CollectionConverters._

import org.apache.avro.file.DataFileStream
import org.apache.avro.generic.{GenericDatumReader, GenericRecord}
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.format.FileId
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.timeline.{CommitMetadata, FileGroupRef, Instant}
import hudilite.view.TestTable
import hudilite.view.TestTable.use

/** Instants that hide whole partitions. */
class ReplaceCommitSuite extends AnyFunSuite {
  private val everywhere = Set(FileGroupRef.partition("p=a"))

  private def hides(table: TestTable): CommitMetadata = CommitMetadata(
    "DELETE_PARTITION",
    TestTable.schema,
    Nil,
    Map("p=a" -> table.snapshot.slices("p=a").map(_.fileId))
  )

  private def begin(table: TestTable): Transaction =
    table.log.begin(table.snapshot.base, action = Instant.replaceCommit)

  private def condition(call: => Any): String = intercept[HudiliteException](call).condition

  test("a replacecommit leaves Hudi's three files and hides what it names") {
    use { table =>
      table.merge(1, 2)(_ => "old")
      val write = begin(table)
      val t = write.instant
      write.commit(hides(table), everywhere)
      val names = TempFolder.names(Storage.resolve(table.base, ".hoodie")).filter(_.startsWith(t))
      assert(names == Set(s"$t.replacecommit.requested", s"$t.replacecommit.inflight",
        s"$t.replacecommit"))
      assert(table.rows().isEmpty)
      assert(table.snapshot.view.epoch("p=a", 1) == t && table.snapshot.view.epoch("p=a", 3) == "")
      table.merge(1)(_ + "new")
      assert(table.rows() == Map(1 -> "new"))
      assert(TestTable.slice(table.snapshot, "p=a", 1).map(_.fileId)
        .contains(FileId.bucket(table.config.uuid, "p=a", 1, t)))
    }
  }

  test("the requested file is an Avro record that plans nothing") {
    use { table =>
      val requested = Instant(begin(table).instant, Instant.replaceCommit, Instant.Requested)
      val bytes = table.files.read(requested)
      val stream = new DataFileStream(
        new ByteArrayInputStream(bytes),
        new GenericDatumReader[GenericRecord]()
      )
      val records = stream.iterator.asScala.toSeq
      assert(records.size == 1 && stream.getSchema.getName == "HoodieRequestedReplaceMetadata")
      assert(Option(records.head.get("clusteringPlan")).isEmpty && records.head.get("version") == 1)
    }
  }

  test("a replaced partition excludes every bucket of it, also one that had no file") {
    Seq(true, false).foreach { insertIsFirst =>
      use { table =>
        table.merge(1)(_ => "old")
        val insert = table.start(table.snapshot, Seq(7))(_ => "inserted")
        val replace = begin(table)
        val hidden = hides(table)
        if (insertIsFirst) {
          insert.commit()
          assert(condition(replace.commit(hidden, everywhere)) == "HUDILITE_CONCURRENT_WRITE")
          assert(replace.abort())
          assert(table.rows() == Map(1 -> "old", 7 -> "inserted"))
        } else {
          replace.commit(hidden, everywhere)
          assert(condition(insert.commit()) == "HUDILITE_CONCURRENT_WRITE")
          assert(insert.transaction.abort())
          assert(table.rows().isEmpty)
        }
        assert(TempFolder.names(Storage.resolve(table.base, ".hoodie"))
          .count(_.endsWith(".inflight")) == 2)
      }
    }
  }

  test("what a scope covers") {
    val bucket = FileGroupRef.bucket("p=x/q=1", 3)
    Seq(
      FileGroupRef.wholeTable -> true,
      FileGroupRef.partition("p=x/") -> true,
      FileGroupRef.partition("p=x/q=1") -> true,
      FileGroupRef.partition("p=x/q=1/") -> true,
      FileGroupRef.partition("p=x/q=10") -> false,
      FileGroupRef.partition("p=/") -> false,
      FileGroupRef.partition("p=x") -> false
    ).foreach { case (scope, covers) =>
      assert(scope.conflicts(bucket) == covers, scope)
      assert(bucket.conflicts(scope) == covers, scope)
    }
    assert(FileGroupRef.partition("p=x/").conflicts(FileGroupRef.partition("p=x/q=2")))
    assert(!FileGroupRef.partition("p=x/").conflicts(FileGroupRef.partition("p=y/")))
    assert(FileGroupRef.wholeTable.conflicts(FileGroupRef.bucket("", 1)))
  }

  test("a number without its completed file hides for readers, and the next writer publishes it") {
    use { table =>
      table.merge(1, 2)(_ => "old")
      val write = begin(table)
      write.commit(hides(table), everywhere)
      val completed = Instant(write.instant, Instant.replaceCommit, Instant.Completed)
      table.files.delete(completed)
      TempFolder.names(Storage.resolve(table.base, ".hoodie/.hudilite/commits"))
        .filter(_.endsWith(s"-${write.instant}"))
        .foreach(n =>
          LocalStorage.delete(Storage.resolve(table.base, s".hoodie/.hudilite/commits/$n"))
        )
      assert(table.rows().isEmpty && table.snapshot.view.epoch("p=a", 2) == write.instant)
      table.merge(2)(_ + "new")
      assert(table.files.exists(completed))
      assert(table.rows() == Map(2 -> "new"))
    }
  }

  test("an instant is not shared by a commit and a replacecommit") {
    TempFolder.use { dir =>
      val table = new TestTable(Storage.resolve(dir, "t"), clock = () => 1700000000000L)
      table.merge(1)(_ => "old")
      val taken = begin(table)
      val others = Seq.fill(3)(Seq(begin(table), table.log.begin(table.snapshot.base))).flatten
      assert((taken +: others).map(_.instant).distinct.size == 7)
    }
  }
}
