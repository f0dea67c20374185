package hudilite.spark.repair

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.types.StructType

import hudilite.spark.SparkSuite
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.read.PartitionFilter

class PartitionOrderSuite extends SparkSuite {

  test("a condition selects a partition and those after it, whatever their values are") {
    sql("CREATE TABLE t (id INT, d DATE, s STRING, n INT, PRIMARY KEY (id)) USING hudilite " +
      "PARTITIONED BY (d, s, n)")
    sql("INSERT INTO t SELECT CAST(row_number() OVER (ORDER BY d, s, n) AS INT), d, s, n FROM " +
      "(SELECT explode(array(DATE'2024-01-02', DATE'2024-01-10', NULL)) d) " +
      "CROSS JOIN (SELECT explode(array('it''s', 'b\\\\c', NULL)) s) " +
      "CROSS JOIN (SELECT explode(array(2, 10, -1, NULL)) n)")
    val base = folder.resolve("db").resolve("t")
    val table = HudiliteTable.open(spark, "t", new Path(base.toUri), Map.empty)
    val columns = StructType(table.config.partitionFields.map(table.schema(_)))
    val order = new PartitionOrder(table.config, columns)
    val all = order.sorted(SlicesOf.paths(table, columns, _ => true).reverse)
    assert(all.size == 36)
    assert(all.map(rowOf) == (1 to 36))
    all.zipWithIndex.foreach { case (path, at) =>
      val condition = order.from(path)
      val wanted = PartitionFilter.of(spark, condition, columns, new IllegalArgumentException(_))
      val selected = order.sorted(SlicesOf.paths(table, columns, wanted))
      assert(selected == all.drop(at), condition)
    }
  }

  /** Returns the id of the row of a partition. */
  private def rowOf(path: String): Int =
    sql(s"SELECT id FROM t WHERE _hoodie_partition_path = '${path.replace("\\", "\\\\").replace("'",
        "\\'")}'")
      .head().getInt(0)
}
