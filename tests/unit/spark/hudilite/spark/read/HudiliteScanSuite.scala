package hudilite.spark.read

import org.apache.spark.sql.execution.ExplainMode
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, DataSourceRDDPartition}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{DataFrame, Row}

import hudilite.error.HudiliteException
import hudilite.spark.SparkSuite
import hudilite.view.FileSlice

class HudiliteScanSuite extends SparkSuite {
  private val session = Map(
    "spark.sql.catalog.w" -> classOf[WrittenCatalog].getName,
    "spark.sql.adaptive.enabled" -> "false"
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    session.foreach { case (key, value) => spark.conf.set(key, value) }
  }

  override protected def afterAll(): Unit = {
    session.keys.foreach(spark.conf.unset)
    super.afterAll()
  }

  private lazy val flights = {
    val schema = StructType.fromDDL(
      "id INT, name STRING, p STRING, v DOUBLE, s STRUCT<a: INT, b: STRING>, d DATE"
    )
    val table = newTable("flights", schema, Seq("id", "name"), Seq("p"), 8)
    table.write(
      "20240101000000000",
      spark.sql("""select cast(id as int) id, concat('n', id % 7) name,
        case when id % 10 = 0 then null else concat('p/', id % 3) end p,
        id / 2.0d v, named_struct('a', cast(id as int), 'b', concat('b', id)) s,
        date_add(date'2024-01-01', cast(id as int)) d from range(300)""")
    )
    table.write(
      "20240102000000000",
      spark.sql("""select cast(id as int) id, concat('n', id % 7) name, 'p/1' p, -1.0d v,
        named_struct('a', 0, 'b', 'new') s, date'1500-02-03' d from range(1, 300, 3)""")
    )
    table
  }

  test("a read gives the rows of the latest slices only") {
    flights
    val rows = spark.sql("select count(*), sum(if(v = -1, 1, 0)), min(d) from w.flights").head()
    // The second commit holds every row of partition p/1 and the ids of it that had no partition.
    assert(rows == Row(300 - 90 + 100, 100, java.sql.Date.valueOf("1500-02-03")))
  }

  test("key columns in = and IN open one file a bucket and partition") {
    flights
    val one = spark.sql("select * from w.flights where id = 4 and name = 'n4' and p = 'p/1'")
    assert(one.collect().map(_.getInt(0)).toSeq == Seq(4))
    assert(files(one).size == 1)
    val two = spark.sql("select id from w.flights where id in (4, 7) and name in ('n4', 'n0')")
    assert(two.collect().map(_.getInt(0)).sorted.toSeq == Seq(4, 7))
    val buckets = for {
      i <- Seq("4", "7")
      n <- Seq("n4", "n0")
    } yield flights.placing.bucket(flights.placing.key(Seq(i, n)))
    assert(files(two).forall(f => buckets.contains(f.take(8).toInt)))
    assert(scan(two).description().contains(s"buckets ${buckets.distinct.size} of 8"))
  }

  test("a partition filter lists its partition, IS NULL the default one") {
    flights
    val rows = spark.sql("select id, p from w.flights where p = 'p/2'")
    assert(rows.collect().map(_.getInt(0)).toSet ==
      (0 until 300).filter(i => i % 3 == 2 && i % 10 != 0).toSet)
    assert(scan(rows).description().contains("[partitions 1 of 4,"), scan(rows).description())
    val nulls = spark.sql("select count(*) from w.flights where p is null")
    assert(nulls.head().getLong(0) == 30)
    assert(scan(nulls).description().contains("[partitions 1 of 4,"), scan(nulls).description())
  }

  test("only the columns asked for are read, nested ones and metadata columns included") {
    flights
    val rows = spark.sql("select s.a, _hoodie_record_key k from w.flights where id = 4 and v < 0")
    assert(rows.collect().toSeq == Seq(Row(0, "id:4,name:n4")))
    val read = scan(rows).readSchema
    assert(read("s").dataType.sql == "STRUCT<a: INT>")
    assert(read.fieldNames.toSet == Set("id", "v", "s", "_hoodie_record_key"))
    assert(!spark.sql("select * from w.flights").columns.exists(_.startsWith("_hoodie")))
  }

  test("a read is columnar, its filters reach Parquet, and EXPLAIN tells both") {
    flights
    val rows = spark.sql("select id from w.flights where v > 140 and p = 'p/2'")
    assert(batchScan(rows).supportsColumnar)
    val plan = rows.queryExecution.explainString(ExplainMode.fromString("simple"))
    assert(plan.contains("pushed filters [IsNotNull(v), IsNotNull(p), GreaterThan(v,140.0)"), plan)
    assert(plan.contains("files "), plan)
  }

  test("a count comes from footers, and without them it reads no column") {
    flights
    def rows = spark.sql("select count(*) from w.flights")
    assert(rows.head().getLong(0) == 310)
    assert(scan(rows).readSchema.fieldNames.toSeq == Seq("count(*)"))
    assert(scan(rows) == scan(rows))
    assert(scan(rows) != scan(spark.sql("select count(id) from w.flights")))
    withConf("spark.sql.files.ignoreMissingFiles" -> "true") {
      assert(rows.head().getLong(0) == 310)
      assert(scan(rows).readSchema.isEmpty)
    }
  }

  test("a later snapshot's partition that leaves a decided filter open is no part of the read") {
    val table = newTable("grown", StructType.fromDDL("id LONG, p STRING"), Seq("id"), Seq("p"), 1)
    table.write("20240101000000000", spark.sql("select 1L id, 'b' p"))
    val read = scan(spark.sql("select count(*) from w.grown where p <> 'a'"))
    assert(read.on(table.snapshot).selection.slices.size == 1)
    table.write("20240102000000000", spark.sql("select 2L id, '' p"))
    val fault = intercept[HudiliteException](read.on(table.snapshot).selection)
    assert(fault.getCondition == "HUDILITE_CONCURRENT_WRITE")
    val again = spark.sql("select count(*), max(p) from w.grown where p <> 'a'")
    assert(again.head() == Row(2L, "b"))
  }

  test("a base file of several row groups is split, and no row is lost or doubled") {
    val table = newTable("wide", StructType.fromDDL("id LONG, v STRING"), Seq("id"), Nil, 1)
    val rows = spark.sql("select id, repeat(uuid(), 4) v from range(40000)")
    table.write("20240101000000000", rows, Map("parquet.block.size" -> (256 * 1024).toString))
    val splits = Seq("maxPartitionBytes" -> "200000", "openCostInBytes" -> "1")
    withConf(splits.map { case (key, value) => s"spark.sql.files.$key" -> value }: _*) {
      val read = spark.sql("select id, v from w.wide")
      assert(partitions(read).size > 4, partitions(read))
      assert(read.selectExpr("count(*)", "count(distinct id)", "sum(id)").head() ==
        Row(40000L, 40000L, 39999L * 20000))
    }
    assert(partitions(spark.sql("select id from w.wide")).size <= 2)
  }

  test("two reads of one table share an exchange") {
    flights
    val side = "(select p, count(*) c from w.flights where v < 0 group by p)"
    val joined = spark.sql(s"select * from $side a join $side b on a.p = b.p and a.c = b.c")
    joined.collect()
    assert(joined.queryExecution.executedPlan.toString.contains("ReusedExchange"))
  }

  test("reads of other files of one snapshot are not equal") {
    val snapshot = flights.snapshot
    val slices = snapshot.allSlices
    def read(files: Seq[FileSlice]) =
      new SlicesTable(spark, "flights", flights.schema, snapshot, files)
        .newScanBuilder(CaseInsensitiveStringMap.empty).build()
    assert(slices.size > 1)
    assert(read(slices.take(1)) == read(slices.take(1)))
    assert(read(slices.take(1)) != read(slices.tail))
  }

  // F44
  test("a base file that is gone names itself, and a strict read fails whatever the session says") {
    val table = newTable("gone", StructType.fromDDL("id LONG, v STRING"), Seq("id"), Nil, 2)
    table.write("20240101000000000", spark.sql("select id, 'x' v from range(10)"))
    val rows = spark.sql("select count(v) from w.gone")
    files(rows)
    val lost = table.snapshot.slices("").head
    table.storage.delete(lost.path)
    val error = intercept[Exception](rows.collect())
    val ours = HudiliteException.find(error).get
    assert(ours.condition == "HUDILITE_MISSING_DATA_FILE")
    assert(ours.parameters == Map("path" -> lost.path.toString, "instant" -> "20240101000000000"))
    withConf("spark.sql.files.ignoreMissingFiles" -> "true") {
      assert(spark.sql("select count(v) from w.gone").head().getLong(0) < 10)
      val strict =
        SliceReader.factory(
          spark,
          table.config,
          table.schema,
          table.schema,
          Array.empty,
          strict = true
        )
      val failed = intercept[HudiliteException](strict.openBatches(lost).map(_.next()))
      assert(failed.condition == "HUDILITE_MISSING_DATA_FILE")
    }
  }

  test("a join's other side leaves out partitions and buckets when the query runs") {
    flights
    def opened(sql: String): (Seq[Row], Int) = {
      val rows = spark.sql(sql)
      val found = rows.collect().toSeq
      val opened = batchScan(rows).inputRDD.partitions.toSeq
        .collect { case partition: DataSourceRDDPartition => partition.inputPartitions }
        .flatten
        .collect { case SlicePartition(parts) => parts.size }
      (found, opened.sum)
    }
    val byPartition = opened("""select count(*), sum(t.v) from w.flights t join
      (select concat('p/', id + 1) p from range(5) where id < 1) s on t.p = s.p""")
    assert(byPartition == (Seq(Row(100L, -100.0)), 8))
    val byKey = opened("""select t.v from w.flights t join
      (select cast(id as int) id, concat('n', id) name from range(5) where id > 3) s
      on t.id = s.id and t.name = s.name""")
    assert(byKey._1.map(_.getDouble(0)) == Seq(-1.0))
    assert(byKey._2 <= 4)
  }

  test("options of stock Hudi's reader are refused by name") {
    flights
    Seq("as.of.instant", "hoodie.datasource.query.type").foreach { key =>
      val error = intercept[HudiliteException] {
        spark.read.option(key, "x").table("w.flights").collect()
      }
      assert(error.condition == "HUDILITE_PROPERTY_UNSUPPORTED")
    }
  }

  test("the size estimate follows the columns and files that are read") {
    flights
    def size(sql: String) = spark.sql(sql).queryExecution.optimizedPlan.stats.sizeInBytes
    val all = size("select * from w.flights")
    assert(size("select id from w.flights") < all / 4)
    assert(size("select * from w.flights where p = 'p/1'") < all)
  }

  private def newTable(
      name: String,
      schema: StructType,
      keys: Seq[String],
      partitions: Seq[String],
      numBuckets: Int
  ): WrittenTable = {
    val table = new WrittenTable(spark, folder.resolve(name), schema, keys, partitions, numBuckets)
    WrittenCatalog.tables(name) = table
    table
  }

  private def batchScan(rows: DataFrame): BatchScanExec =
    rows.queryExecution.executedPlan.collectFirst { case scan: BatchScanExec => scan }.get

  private def scan(rows: DataFrame): HudiliteScan = batchScan(rows).scan.asInstanceOf[HudiliteScan]

  private def partitions(rows: DataFrame): Seq[SlicePartition] =
    scan(rows).planInputPartitions().toSeq.collect { case p: SlicePartition => p }

  private def files(rows: DataFrame): Set[String] =
    partitions(rows).flatMap(_.parts.map(_.slice.fileName)).toSet
}
