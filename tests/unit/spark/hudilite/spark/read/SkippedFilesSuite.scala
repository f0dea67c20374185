package hudilite.spark.read

import java.nio.file.{Files, Path, Paths, StandardCopyOption}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.DataFrame

import hudilite.spark.SparkSuite
import hudilite.spark.locate.TargetPruning

class SkippedFilesSuite extends SparkSuite {
  private val pushDown = "spark.sql.parquet.filterPushdown"
  private val files = 20

  /** Creates a table of files with ten rows each, in three row groups; `v` grows with the
    * partition. */
  private def create(name: String, properties: String = ""): Path = {
    sql(
      s"""CREATE TABLE $name (id INT, p INT, v INT, s STRING, d DECIMAL(20, 2), f DOUBLE, at INT,
        PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 1 $properties"""
    )
    withConf("spark.hudilite.write.rowGroupRows" -> "4") {
      sql(s"""INSERT INTO $name SELECT id, id div 10, if(id % 10 = 0, NULL, id), concat('s', id),
        id / 4, if(id % 10 = 9, double('NaN'), -id), 5 FROM range(${10 * files})""")
    }
    Paths.get(folder.resolve("db").resolve(name).toUri)
  }

  private def ids(table: String, where: String): Seq[Int] =
    sql(s"SELECT id FROM $table WHERE $where").collect().map(_.getInt(0)).sorted.toSeq

  private def scanOf(query: DataFrame): HudiliteScan =
    query.queryExecution.optimizedPlan.collectFirst { case HudiliteScan.Of(_, scan) => scan }.get

  private def skipped(table: String, where: String): Int =
    scanOf(sql(s"SELECT id FROM $table WHERE $where")).selection.skipped.size

  test("a query returns the rows of all files, whether files are skipped or not") {
    create("t")
    val mayMatch = Map(
      "v = 42" -> 1,
      "v IN (7, 42, 191)" -> 3,
      "v BETWEEN 95 AND 105 OR id = 3" -> 3,
      "v IS NULL AND id < 25" -> 3,
      "v <=> NULL AND id >= 190" -> 1,
      "NOT (v < 197)" -> 1,
      "s = 's55'" -> 2, // the first file has the texts from s0 to s9
      "s LIKE 's19%'" -> 3,
      "d = 2.25" -> 1,
      "d > 48.5" -> 1,
      "f = double('NaN')" -> files, // a file with NaN has no bounds
      "f < -192" -> files,
      "v + id = 84" -> files,
      "s = 'none' AND v > 1000" -> 0
    )
    mayMatch.foreach { case (where, most) =>
      val found = ids("t", where)
      withConf(pushDown -> "false")(assert(ids("t", where) == found, where))
      assert(files - skipped("t", where) <= most, where)
    }
    withConf(pushDown -> "false")(assert(skipped("t", "v = 42") == 0))
  }

  test("slices with log files are read, and the others still skipped") {
    create("m", "TBLPROPERTIES (type = 'mor', preCombineField = 'at')")
    assert(ids("m", "v IN (7, 151)") == Seq(7, 151))
    assert(skipped("m", "v IN (7, 151)") == 18)
    sql("""MERGE INTO m USING (SELECT * FROM VALUES (31, 3, 7, 9), (7, 0, 1000, 9), (151, 15, 9, 1)
      AS s(id, p, v, at)) s ON m.id = s.id AND m.p = s.p
      WHEN MATCHED THEN UPDATE SET v = s.v, at = s.at""")
    assert(ids("m", "v IN (7, 151)") == Seq(31, 151))
    assert(ids("m", "v = 1000") == Seq(7))
    assert(skipped("m", "v = 42") >= 16)
    def inBases(where: String) =
      spark.read.option("hoodie.datasource.query.type", "read_optimized").table("m").where(where)
        .select("id")
    assert(inBases("v IN (7, 31)").collect().map(_.getInt(0)).sorted.toSeq == Seq(7, 31))
    assert(scanOf(inBases("v IN (7, 31)")).selection.skipped.size == 18)
    assert(ids("m", "v = 31").isEmpty)
  }

  test("a past state is read by the statistics of its own files") {
    create("past")
    assert(ids("past", "v = 42") == Seq(42))
    sql("UPDATE past SET v = 195 WHERE v = 42")
    sql("UPDATE past SET v = 42 WHERE id = 3")
    assert(ids("past", "v = 42") == Seq(3) && ids("past", "v = 195") == Seq(42, 195))
    val first = sql("SELECT min(_hoodie_commit_time) FROM past").collect().head.getString(0)
    val before = s"past VERSION AS OF '$first'"
    assert(ids(before, "v = 42") == Seq(42) && ids(before, "v = 195") == Seq(195))
    assert(skipped(before, "v = 42") == files - 1)
  }

  test("a join of tables that are bucketed alike has its rows if files of one side are skipped") {
    create("one")
    create("two")
    val plain = "a.id = b.id AND a.p = b.p"
    val joins = Seq(
      s"one a JOIN two b ON $plain WHERE a.v = 42",
      s"one a JOIN two b ON $plain WHERE a.v < 95 AND b.v > 85",
      s"one a JOIN two b ON $plain WHERE a.v < 25 AND b.v > 185",
      s"one a JOIN two b ON $plain WHERE a.v > 1000",
      s"one a LEFT JOIN two b ON $plain AND b.v IN (7, 42)",
      s"one a FULL JOIN two b ON $plain AND b.v = 42 AND a.v = 42",
      s"one a LEFT ANTI JOIN two b ON $plain AND b.v < 42"
    )
    withConf(
      "spark.sql.autoBroadcastJoinThreshold" -> "-1",
      "spark.sql.sources.v2.bucketing.enabled" -> "true",
      "spark.sql.sources.v2.bucketing.pushPartValues.enabled" -> "true"
    ) {
      joins.foreach { join =>
        def rows = sql(s"SELECT * FROM $join").collect().map(_.toString).sorted.toSeq
        val found = rows
        withConf(pushDown -> "false")(assert(rows == found, join))
      }
    }
  }

  test("a statement depends on the file groups that its reads skip") {
    create("c")
    val scan = scanOf(sql("SELECT id FROM c WHERE v = 42"))
    assert(scan.selection.slices.size == 1)
    assert(TargetPruning.fileGroups(Seq(scan)).size == files)
  }

  test("of a table whose footers are stored, no other file is opened") {
    val base = create("a")
    sql("ANALYZE TABLE a COMPUTE STATISTICS")
    val stored = ".hoodie/.hudilite/footers.bin"
    val whole = Files.readAllBytes(base.resolve(stored))
    def opened(name: String, footers: Option[Array[Byte]]): String = {
      val to = copied(base, folder.resolve(name))
      damaged(to, kept = "p=4")
      Files.delete(to.resolve(stored))
      footers.foreach(Files.write(to.resolve(stored), _))
      s"hudilite.`$to`"
    }
    assert(ids(opened("whole", Some(whole)), "v = 42") == Seq(42))
    Seq(None, Some(whole.take(whole.length / 2)), Some(Array.emptyByteArray)).zipWithIndex.foreach {
      case (footers, i) =>
        val table = opened(s"other$i", footers)
        assert(fault(ids(table, "v = 42"))._1 == "HUDILITE_CORRUPT_DATA_FILE")
    }
  }

  test("a scan estimates the rows before the filters, and the bytes of the files that it reads") {
    create("counted")
    sql("ANALYZE TABLE counted COMPUTE STATISTICS")
    withConf("spark.sql.cbo.enabled" -> "true") {
      val all = scanOf(sql("SELECT id FROM counted")).estimateStatistics()
      val few = scanOf(sql("SELECT id FROM counted WHERE v = 42")).estimateStatistics()
      assert(few.numRows == all.numRows && few.numRows.getAsLong == 10 * files)
      assert(few.sizeInBytes.getAsLong < all.sizeInBytes.getAsLong / 10)
    }
  }

  test("few files are neither skipped nor stored") {
    sql("""CREATE TABLE few (id INT, p INT, v INT, PRIMARY KEY (id, p)) USING hudilite
      PARTITIONED BY (p) WITH BUCKETS 1""")
    sql("INSERT INTO few SELECT id, id div 10, id FROM range(150)")
    sql("ANALYZE TABLE few COMPUTE STATISTICS")
    assert(ids("few", "v = 42") == Seq(42) && skipped("few", "v = 42") == 0)
    assert(!Files.exists(folder.resolve("db/few/.hoodie/.hudilite/footers.bin")))
  }

  private def copied(from: Path, to: Path): Path = {
    Files.walk(from).iterator.asScala.foreach { path =>
      val target = to.resolve(from.relativize(path).toString)
      if (Files.isDirectory(path)) Files.createDirectories(target)
      else Files.copy(path, target, StandardCopyOption.COPY_ATTRIBUTES)
    }
    to
  }

  /** Overwrites the base files of all partitions but one with zeros. */
  private def damaged(base: Path, kept: String): Unit =
    Files.walk(base).iterator.asScala.filter { path =>
      path.toString.endsWith(".parquet") && path.getParent.getFileName.toString != kept
    }.toSeq.foreach { path =>
      Files.deleteIfExists(path.resolveSibling(s".${path.getFileName}.crc"))
      Files.write(path, new Array[Byte](Files.size(path).toInt)): Unit
    }
}
