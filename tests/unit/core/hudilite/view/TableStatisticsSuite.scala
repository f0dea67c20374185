package hudilite.view

import org.scalatest.funsuite.AnyFunSuite

import hudilite.io.{LocalStorage, TempFolder}
import hudilite.timeline.TimelineFiles
import hudilite.view.TestTable.use

class TableStatisticsSuite extends AnyFunSuite {
  private val column = TableStatistics.Column("\"integer\"", 10, Map("distinctCount" -> "3"))
  private val some = TableStatistics("20260101000000000", 10, 1000, Map("n" -> column))

  private def files(table: TestTable) = TimelineFiles.of(LocalStorage, table.base)

  test("rows of other files are estimated by their size") {
    assert(some.rowsOf(1000) == Some(10))
    assert(some.rowsOf(500) == Some(5))
    assert(some.rowsOf(12345) == Some(123))
    assert(some.rowsOf(0) == Some(0))
    assert(some.copy(rows = Long.MaxValue / 2).rowsOf(2000).exists(_ > 0))
  }

  test("a table that was empty has no estimate once it has files") {
    val empty = TableStatistics("", 0, 0)
    assert(empty.rowsOf(0) == Some(0))
    assert(empty.rowsOf(1).isEmpty)
  }

  test("what was written is read, and replaces what was there") {
    use { table =>
      assert(TableStatistics.read(files(table)).isEmpty)
      some.write(files(table))
      assert(TableStatistics.read(files(table)).contains(some))
      some.copy(rows = 11).write(files(table))
      assert(TableStatistics.read(files(table)).contains(some.copy(rows = 11)))
    }
  }

  test("columns that were analyzed before keep their statistics") {
    val other = TableStatistics.Column("\"string\"", 7, Map("nullCount" -> "1"))
    val newer = column.copy(rows = 20)
    val later = TableStatistics("20260102000000000", 20, 2000, Map("n" -> newer))
    val both = later.after(Some(some.copy(columns = Map("n" -> column, "v" -> other))))
    assert(both == later.copy(columns = Map("n" -> newer, "v" -> other)))
    assert(later.after(None) == later)
  }

  test("a file that is cut anywhere counts as none") {
    use { table =>
      some.write(files(table))
      val path = files(table).at(files(table).layout.statistics)
      val whole = TempFolder.text(path)
      (0 until whole.length).foreach { end =>
        LocalStorage.replace(path, whole.take(end).getBytes)
        assert(TableStatistics.read(files(table)).isEmpty, end)
      }
    }
  }
}
