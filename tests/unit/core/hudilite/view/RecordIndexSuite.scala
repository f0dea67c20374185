package hudilite.view

import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.format.TableConfig
import hudilite.io.TempFolder

class RecordIndexSuite extends AnyFunSuite {
  private val place = ".hoodie/.index_defs/index.json"

  private def definitions(options: String) =
    s"""{"indexDefinitions": {"record_index": {"indexName": "record_index", "indexOptions": $options}}}"""

  /** Whether the record index of a table is global, by its definitions and its metadata table. */
  private def isGlobal(definitions: Option[String], metadata: String = ""): Boolean =
    TempFolder.use { base =>
      val table = new StockTable(base, metadata = metadata)
      definitions.foreach(TempFolder.write(table.at(place), _))
      val (files, config) = table.opened
      val named = TableConfig(config.properties + (TableConfig.Key.indexDefinitions -> place))
      RecordIndex.isGlobal(files, named)
    }

  test("a record index over all partitions is global, also without its metadata table") {
    assert(isGlobal(Some(definitions("""{"isPartitioned": "false"}"""))))
    assert(isGlobal(Some(definitions("{}")), "files,record_index"))
    assert(isGlobal(None, "files,record_index"))
  }

  test("a partitioned record index, another index and none are not global") {
    assert(!isGlobal(Some(definitions("""{"isPartitioned": "true"}""")), "files,record_index"))
    assert(!isGlobal(Some("""{"indexDefinitions": {"column_stats": {}}}"""), "column_stats,files"))
    assert(!isGlobal(None, "files"))
    assert(!isGlobal(Some("{}")))
  }

  test("damaged definitions are not passed over") {
    val e = intercept[HudiliteException](isGlobal(Some("{cut")))
    assert(e.condition == "HUDILITE_CORRUPT_TIMELINE")
  }
}
