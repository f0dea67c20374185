package hudilite.spark.repair

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.Row

import hudilite.spark.SparkSuite
import hudilite.spark.catalog.HudiliteTable

class ClusteringSuite extends SparkSuite {

  test(
    "files have parts of the values, in the order of their keys, and rows keep their meta columns"
  ) {
    sql("CREATE TABLE t (id INT, a INT, v STRING, PRIMARY KEY (id)) USING hudilite " +
      "TBLPROPERTIES ('hoodie.parquet.small.file.limit' = '0')")
    sql("INSERT INTO t SELECT CAST(id AS INT), CAST(id * 7919 % 3000 AS INT), " +
      "sha2(CAST(id AS STRING), 256) FROM range(3000)")
    sql("INSERT INTO t VALUES (5000, NULL, 'x')")
    val before = rows()
    val one = clustered("a", isZOrder = false, 16 << 10)
    assert(one > 4)
    assert(rows() == before)
    assert(overlaps == 0)
    assert(unordered == 0)
    sql("UPDATE t SET v = 'new' WHERE id = 17")
    assert(sql("SELECT count(*) FROM t WHERE v = 'new'").head() == Row(1L))
    assert(clustered("a", isZOrder = true, 1 << 20) == 1)
    assert(
      sql("SELECT count(*), count(DISTINCT _hoodie_file_name) FROM t").head() == Row(3001L, 1L)
    )
    assert(unordered == 0)
    assert(clustered("a", isZOrder = true, 1 << 20) == 0, "one file stays one")
  }

  /** Returns the number of new files. */
  private def clustered(column: String, isZOrder: Boolean, target: Long): Int = {
    val base = folder.resolve("db").resolve("t")
    val table = HudiliteTable.open(spark, "t", new Path(base.toUri), Map.empty)
    val order = ClusterOrder.of(table, Seq(Seq(column)), isZOrder)(new IllegalArgumentException(_))
    Clustering.plan("", table.snapshot.slices(""), target).toSeq
      .flatMap(Clustering.commit(spark, table, order, _)).size
  }

  private def rows(): Seq[Row] =
    sql(
      "SELECT _hoodie_commit_time, _hoodie_commit_seqno, _hoodie_record_key, * FROM t ORDER BY id"
    )
      .collect().toSeq

  private def overlaps: Long = {
    val bounds = "(SELECT _hoodie_file_name f, min(a) low, max(a) high FROM t GROUP BY 1)"
    sql(s"SELECT count(*) FROM $bounds x JOIN $bounds y ON x.f < y.f AND x.low <= y.high AND " +
      "y.low <= x.high")
      .head().getLong(0)
  }

  private def unordered: Long =
    sql(
      "SELECT count(*) FROM (SELECT _hoodie_record_key k, lag(_hoodie_record_key) OVER " +
        "(PARTITION BY _hoodie_file_name ORDER BY _metadata.row_index) before FROM t) WHERE before > k"
    )
      .head().getLong(0)
}
