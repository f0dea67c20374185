package hudilite.view

import java.nio.file.{Files, Path => LocalPath}

import org.scalatest.funsuite.AnyFunSuite

import hudilite.io.{Storage, TempFolder}

/** The first load of a table in a process. */
class FreshLoadSuite extends AnyFunSuite {
  private val since = 9 // commits after the checkpoint

  test("a first load costs as much after 1,000 commits and 10,000 archived ones as after 10") {
    TempFolder.use { dir =>
      val sizes = Seq((0, 10), (0, 100), (0, 1000), (10000, 1000))
      val tables = sizes.map { case (archived, active) =>
        grown(new LongHistory(Storage.resolve(dir, s"$archived-$active"), archived), active)
      }
      val loads = LoadCost.inOwnProcesses(tables.map(_.base))
      tables.foreach(_.checkpoints.foreach(Files.delete))
      val plain = LoadCost.inOwnProcesses(tables.map(_.base))
      val first = loads.head.cost
      sizes.lazyZip(loads).lazyZip(plain).foreach { case ((archived, active), load, without) =>
        val clue = s"$active commits, $archived archived: $load, without: $without, ten: $first"
        assert(load.cost.calls <= 1.2 * first.calls, clue)
        assert(load.cost.bytes <= 2 * first.bytes, clue)
        assert(load.cost.entries <= 2 * archived + 4 * (active + since) + 20, clue)
        assert(without.cost.calls >= load.cost.calls + archived + active - 1, clue)
        assert(without.cost.bytes > load.cost.bytes || active == 10, clue)
        assert(without.slices == load.slices && load.slices.size == LongHistory.buckets, clue)
      }
    }
  }

  test("a first load ignores a checkpoint that is cut, ahead of the numbers or of another table") {
    TempFolder.use { dir =>
      val damages = Seq[(String, LocalPath => Any)](
        "whole" -> (file => file),
        "absent" -> Files.delete,
        "cut" -> LongHistory.rewritten(_.dropRight(40)),
        "ahead" -> (file => Files.move(file, file.resolveSibling(f"${99}%020d.checkpoint"))),
        "other" -> LongHistory.rewritten(LongHistory.ofAnotherTable)
      )
      val tables = damages.map { case (name, damage) =>
        val table = grown(new LongHistory(Storage.resolve(dir, name), 0), 12)
        damage(table.checkpoints.head): Unit
        table
      }
      val loads = LoadCost.inOwnProcesses(tables.map(_.base))
      damages.zip(loads).drop(1).foreach { case ((name, _), load) =>
        assert(load.slices == loads.head.slices, name)
        assert(load.cost.calls >= loads.head.cost.calls + 11, name)
      }
    }
  }

  /** Adds commits, a checkpoint of them, and those after it. */
  private def grown(table: LongHistory, commits: Int): LongHistory = {
    (1 to commits).foreach(_ => table.commit(): Unit)
    table.stored()
    (1 to since).foreach(_ => table.commit(): Unit)
    table
  }
}
