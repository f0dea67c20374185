package hudilite.view

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.CommitNumbers
import hudilite.error.HudiliteException
import hudilite.io.TempFolder

class CheckpointSuite extends AnyFunSuite {
  import LongHistory._

  test("a process reads a checkpoint once") {
    TempFolder.use { dir =>
      val table = new LongHistory(dir, 0)
      (1 to 20).foreach(_ => table.commit(): Unit)
      table.stored()
      val first = table.cost()
      assert(first.bytes - table.costAgain().bytes >= Files.size(table.checkpoints.head))
      table.commit(): Unit
      table.stored()
      assert(table.slices().map(_.instant).max == table.load().lastInstant.get)
    }
  }

  test("a checkpoint is stored at every tenth commit, and the last two are kept") {
    TestTable.use { table =>
      (1 to 35).foreach { n =>
        val number = table.merge(n % 3)(_ + s"$n ").number
        Checkpoints.afterCommit(table.files, table.config, number)
      }
      assert(new CommitNumbers(table.files).found().checkpoints == Set(20L, 30L))
      assert(table.rows() == rowsOf(35))
    }
  }

  test("a checkpoint that is damaged, of another table, ahead or of another history is ignored") {
    val damages = Map[String, String => String](
      "cut" -> (_.dropRight(40)),
      "empty" -> (_ => ""),
      "changed" -> (_.replaceFirst("\"length\"|_", "x")),
      "of another table" -> ofAnotherTable,
      "of another instant" -> resealed(_.replaceFirst("\"instant\" : \"2", "\"instant\" : \"1")),
      "of another version" -> resealed(_.replaceFirst("\"version\" : 1", "\"version\" : 2"))
    )
    damages.foreach { case (name, damage) =>
      TempFolder.use { dir =>
        val table = new LongHistory(dir, 0)
        (1 to 12).foreach(_ => table.commit(): Unit)
        val expected = table.slices()
        table.stored()
        assert(table.slices() == expected)
        val file = table.checkpoints.head
        rewritten(damage)(file): Unit
        assert(table.slices() == expected, name)
        assert(table.cost().calls > 12, s"$name: the commits are read")
      }
    }
    TempFolder.use { dir =>
      val table = new LongHistory(dir, 0)
      (1 to 12).foreach(_ => table.commit(): Unit)
      table.stored()
      val file = table.checkpoints.head
      Files.move(file, file.resolveSibling(f"${99}%020d.checkpoint"))
      assert(table.slices().size == buckets, "ahead of the numbers")
    }
  }

  test("a file group is shown again when the replacecommit that a checkpoint covers is undone") {
    TempFolder.use { dir =>
      val table = new LongHistory(dir, 0)
      (1 to 11).foreach(_ => table.commit(): Unit)
      val before = table.slices()
      val replacing = table.replace(table.slices().head)
      assert(table.slices().size == buckets - 1)
      table.stored()
      assert(table.slices().size == buckets - 1)
      table.undo(replacing)
      assert(table.slices() == before)
      table.checkpoints.foreach(Files.delete)
      assert(table.slices() == before)
    }
  }

  test("a file is missed that became the latest again when a commit was undone") {
    TempFolder.use { dir =>
      val table = new LongHistory(dir, 0)
      val commits = (1 to 12).map(_ => table.commit())
      table.stored()
      table.undo(commits.last)
      val older = table.slices().find(_.instant == commits(11 - buckets).time).get
      table.delete(older)
      val fault = intercept[HudiliteException](table.slices())
      assert(fault.condition == "HUDILITE_MISSING_DATA_FILE")
    }
  }

  test("a commit that was changed since is read again") {
    TempFolder.use { dir =>
      val table = new LongHistory(dir, 0)
      val commits = (1 to 12).map(_ => table.commit())
      table.stored()
      assert(table.cost().calls < 12)
      table.change(commits(3))
      assert(table.cost().calls > 12)
      assert(table.slices().size == buckets)
    }
  }

  test("an aborted instant before the first active one stays uncommitted") {
    TempFolder.use { dir =>
      val table = new LongHistory(dir, 0)
      val lost = table.aborted()
      (1 to 11).foreach(_ => table.commit(): Unit)
      val plain = table.load().view.isCommitted(lost)
      table.stored()
      assert(!plain && !table.load().view.isCommitted(lost))
    }
  }

  private def rowsOf(commits: Int): Map[Int, String] =
    (1 to commits).groupBy(_ % 3).map { case (bucket, ns) =>
      bucket -> ns.map(n => s"$n ").mkString
    }
}
