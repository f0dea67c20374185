package hudilite.view

import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.io.TempFolder
import hudilite.timeline.{SchemaHistory, StockCommits}

class SchemaHistorySuite extends AnyFunSuite {
  private val (first, second, third) =
    ("20240101000000000", "20240102000000000", "20240103000000000")

  private def version(time: String, columns: String*): String =
    s"""{"version_id": $time, "type": "record", "fields": [${columns.mkString(", ")}]}"""

  private def column(id: Int, name: String, of: String = "\"int\""): String =
    s"""{"id": $id, "name": "$name", "optional": true, "type": $of}"""

  private def history(table: StockTable, time: String, newestFirst: String*): Unit =
    TempFolder.write(
      table.at(s".hoodie/.schema/${time}_$time.schemacommit"),
      s"""{"schemas": [${newestFirst.mkString(", ")}]}"""
    )

  /** Commits a file as a writer under schema on read does. */
  private def commit(table: StockTable, time: String, completion: String): Unit = table.put(
    s"${time}_$completion.commit",
    StockCommits.file(
      StockTable.metadata(Seq(table.file(time, "f-0")))
        .copy(extra = Map(SchemaHistory.entry -> "{}"))
    )
  )

  private def refused(table: StockTable): (String, String) = {
    val e = intercept[HudiliteException](table.snapshot.schema)
    assert(e.condition == "HUDILITE_UNSUPPORTED_TABLE")
    (e.parameters("fact"), e.parameters("value"))
  }

  test("columns that are added, dropped, retyped or moved are read by their names") {
    StockTable.use { table =>
      commit(table, second, third)
      history(table, second,
        version(second, column(7, "new"), column(5, "k", "\"string\"")),
        version("0", column(5, "k"), column(6, "gone")))
      assert(table.snapshot.schema.nonEmpty && table.snapshot.hasColumnNumbers)
      val e = intercept[HudiliteException](table.snapshot.checkColumnNumbers())
      assert(e.condition == "HUDILITE_TABLE_READ_ONLY")
      assert(e.parameters("fact") == "hoodie.schema.on.read.enable")
    }
  }

  test("a renamed column, also in a struct, an array or a map, is refused") {
    def nested(name: String) = column(5, "s",
      s"""{"type": "array", "element": {"type": "map", "value": """ +
        s"""{"type": "record", "fields": [${column(6, name)}]}}}""")
    StockTable.use { table =>
      commit(table, second, third)
      history(table, second, version(second, column(5, "kk")), version("0", column(5, "k")))
      assert(refused(table) == ("renamed column" -> "k, kk"))
      history(table, second, version(second, nested("b")), version("0", nested("a")))
      assert(refused(table) == ("renamed column" -> "s.element.value.a, s.element.value.b"))
    }
  }

  test("a column that was dropped and added again is refused") {
    StockTable.use { table =>
      commit(table, second, third)
      history(table, second, version(second, column(7, "k")), version("0", column(5, "k")))
      assert(refused(table) == ("column that was dropped and added again" -> "k"))
    }
  }

  test("only the newest file counts, and of it what was there in the state that is read") {
    StockTable.use { table =>
      commit(table, second, third)
      history(table, first, version(first, column(5, "wrong")), version("0", column(5, "k")))
      history(table, third, version(third, column(5, "kk")), version("0", column(5, "k")))
      assert(table.snapshot.schema.nonEmpty)
    }
  }

  test("a table without the file of its columns is damaged, and other tables need none") {
    StockTable.use { table =>
      table.commit(first, second, "f-0")
      assert(table.snapshot.schema.nonEmpty && !table.snapshot.hasColumnNumbers)
      commit(table, second, third)
      val e = intercept[HudiliteException](table.snapshot.schema)
      assert(e.condition == "HUDILITE_CORRUPT_TIMELINE")
    }
  }
}
