package hudilite.spark.command

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.Row
import org.apache.spark.sql.connector.catalog.{
  DelegatingCatalogExtension,
  Identifier,
  Table
}

import hudilite.spark.SparkSuite
import hudilite.spark.catalog.HudiliteTable

class OptimizeCommandSuite extends SparkSuite {

  test("the metrics count the files that were replaced, also those that came in between") {
    sql("CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite " +
      "TBLPROPERTIES (type = 'mor', 'hoodie.parquet.small.file.limit' = '0')")
    sql("INSERT INTO t VALUES (1, 'b')")
    sql("INSERT INTO t VALUES (2, 'a')")
    val before = opened()
    assert(before.snapshot.slices("").map(_.files.size) == Seq(1, 1))
    sql("UPDATE t SET v = 'c' WHERE id = 1")
    val found = optimized(before, Seq("v")).toSeq
    assert(found.patch(4, Nil, 1) == Seq(1L, 3L, 1L, 1L, 3L), "without the bytes")
    assert(sql("SELECT * FROM t ORDER BY id").collect().toSeq == Seq(Row(1, "c"), Row(2, "a")))
  }

  private def opened(): HudiliteTable =
    HudiliteTable.open(spark, "t", new Path(folder.resolve("db").resolve("t").toUri), Map.empty)

  /** Returns the metrics of OPTIMIZE ... ZORDER BY on a table that was opened before. */
  private def optimized(before: HudiliteTable, column: Seq[String]): Row = {
    val catalog = new OptimizeCommandSuite.Late(before)
    catalog.setDelegateCatalog(spark.sessionState.catalogManager.currentCatalog)
    val ident = Identifier.of(Array(spark.catalog.currentDatabase), "t")
    OptimizeCommand(CommandTarget(catalog, ident, before), None, Seq(column), packs = true).run(
      spark
    )
      .head.getStruct(1)
  }
}

private object OptimizeCommandSuite {

  /** Catalog that loads a table as it was before, and then as it is. */
  private final class Late(before: HudiliteTable) extends DelegatingCatalogExtension {
    private val earlier = Iterator.single(before)

    override def loadTable(ident: Identifier): Table =
      if (earlier.hasNext) earlier.next() else super.loadTable(ident)
  }
}
