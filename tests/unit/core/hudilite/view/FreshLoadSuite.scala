package hudilite.view

import java.nio.file.{Files, Path => LocalPath}

import org.scalatest.funsuite.AnyFunSuite

import hudilite.Rotation
import hudilite.io.{Storage, TempFolder}

/** The first load of a table in a process. */
class FreshLoadSuite extends AnyFunSuite {
  private val since = 9 // commits after the checkpoint

  test("a first load costs as much after 1,000 commits and 10,000 archived ones as after 10") {
    TempFolder.use { dir =>
      val sizes = (0, 10) +: Rotation.third(Seq((0, 100), (0, 1000), (10000, 1000)))
      val tables = sizes.map { case (archived, active) =>
        grown(new LongHistory(Storage.resolve(dir, s"$archived-$active"), archived), active)
      }
      val loads = LoadCost.inOwnProcesses(tables.map(_.base))
      val first = loads.head.cost
      sizes.zip(loads).foreach { case ((archived, active), load) =>
        val clue = s"$active commits, $archived archived: ${load.cost}, ten: $first"
        assert(load.cost.calls <= 1.2 * first.calls, clue)
        assert(load.cost.bytes <= 2 * first.bytes, clue)
        assert(load.cost.entries <= 4 * (active + since) + 20, clue)
        assert(load.slices.size == LongHistory.buckets, clue)
      }
      val large = sizes.indices.filter(sizes(_)._2 == 1000)
      large.foreach(tables(_).checkpoints.foreach(Files.delete))
      val without = LoadCost.inOwnProcesses(large.map(tables(_).base))
      large.map(sizes).lazyZip(large.map(loads)).lazyZip(without).foreach {
        case ((archived, active), load, plain) =>
          val clue = s"$active commits, $archived archived: ${load.cost}, without: ${plain.cost}"
          // A load reads at most 1,000 commits for the files that they name.
          assert(plain.cost.calls >= load.cost.calls + archived + active - since - 1, clue)
          assert(plain.cost.bytes > 10 * load.cost.bytes, clue)
          assert(plain.slices == load.slices, clue)
      }
    }
  }

  test("a first load ignores a checkpoint that is cut, ahead of the numbers or of another table") {
    TempFolder.use { dir =>
      val damages = Rotation.third(Seq[(String, LocalPath => LocalPath)](
        "cut" -> LongHistory.rewritten(_.dropRight(40)),
        "ahead" -> (file => Files.move(file, file.resolveSibling(f"${99}%020d.checkpoint"))),
        "other" -> LongHistory.rewritten(LongHistory.ofAnotherTable)
      ))
      val tables = damages.map { case (name, damage) =>
        val table = grown(new LongHistory(Storage.resolve(dir, name), 0), 12)
        val whole = LoadCost.of(table.base)
        damage(table.checkpoints.head): Unit
        (table, whole)
      }
      val loads = LoadCost.inOwnProcesses(tables.map(_._1.base))
      damages.lazyZip(tables).lazyZip(loads).foreach { case ((name, _), (_, whole), load) =>
        assert(load.slices == whole.slices, name)
        assert(load.cost.calls >= whole.cost.calls + 11, name)
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
