package hudilite.spark.read

import org.apache.hadoop.fs.Path
import org.apache.spark.SparkException
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row}

import hudilite.spark.SparkSuite
import hudilite.view.FileSlice

class FileSkippingSuite extends SparkSuite {
  private val catalog = "spark.sql.catalog.w"

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set(catalog, classOf[WrittenCatalog].getName)
  }

  override protected def afterAll(): Unit = {
    spark.conf.unset(catalog)
    super.afterAll()
  }

  test("a sample lies evenly among all files") {
    assert(FileSkipping.sample(Vector.range(0, 10)) == Vector.range(0, 10))
    assert(FileSkipping.sample(Vector.range(0, 16)) == Vector.range(0, 16))
    assert(FileSkipping.sample(Vector.range(0, 32)) == Vector.range(0, 32, 2))
    val large = FileSkipping.sample(Vector.range(0, 200))
    assert(large.size == 16 && large.distinct == large && large.last >= 187)
  }

  test("dates and times of the old calendar are compared as the reader compares them") {
    val skipped = Seq("INT96" -> 0, "TIMESTAMP_MICROS" -> 19, "TIMESTAMP_MILLIS" -> 19)
    skipped.foreach { case (form, ofTimes) =>
      val name = form.toLowerCase
      val schema = StructType.fromDDL("id INT, p STRING, d DATE, t TIMESTAMP")
      val table = new WrittenTable(spark, folder.resolve(name), schema, Seq("id"), Seq("p"), 1)
      WrittenCatalog.tables(name) = table
      val rows = spark.sql(
        """select cast(id as int) id, string(id) p, date_add(date'1000-01-01', cast(id as int)) d,
          timestamp'1000-01-01 07:00:00' + make_dt_interval(id) t from range(20)"""
      )
      withConf(
        "spark.sql.parquet.outputTimestampType" -> form,
        "spark.sql.parquet.datetimeRebaseModeInWrite" -> "LEGACY",
        "spark.sql.parquet.int96RebaseModeInWrite" -> "LEGACY"
      )(table.write("20240101000000000", rows))
      Seq("d = date'1000-01-08'" -> 19, "t = timestamp'1000-01-08 07:00:00'" -> ofTimes).foreach {
        case (where, most) =>
          val one = spark.sql(s"select id from w.$name where $where")
          assert(one.collect().toSeq == Seq(Row(7)), where)
          val text =
            s"${20 - most} of 20" + (if (most > 0) s", $most skipped by statistics" else "")
          assert(described(one).contains(s"files $text"), described(one))
      }
    }
  }

  test("footers of a job that fails are not known, and its description does not stay") {
    val files = Seq.tabulate(3) { i =>
      FileSlice.ofBase("", s"f$i", "1", new Path(s"/none/f$i.parquet"), 10)
    }
    val context = spark.sparkContext
    context.setJobDescription("before")
    val found = FooterReads.inJob(context, "footers", files)(file => Option(file.fileId))
    assert(found == Seq(Some("f0"), Some("f1"), Some("f2")))
    val failed = FooterReads.inJob(context, "footers", files) { file =>
      if (file.fileId == "f1") throw new LinkageError("of a task") else Option(file.fileId)
    }
    assert(failed.isEmpty)
    assert(context.getLocalProperty("spark.job.description") == "before")
    context.setJobDescription(None.orNull)
  }

  test("a query ends if its job that reads footers is cancelled") {
    val files = Seq(FileSlice.ofBase("", "f", "1", new Path("/none/f.parquet"), 10))
    val context = spark.sparkContext
    val cancelling = new Thread(() =>
      try while (true) {
          Thread.sleep(50)
          context.cancelJobGroup("footers")
        }
      catch { case _: InterruptedException => () }
    )
    context.setJobGroup("footers", "footers", interruptOnCancel = true)
    cancelling.start()
    try assertThrows[SparkException] {
        FooterReads.inJob(context, "footers", files) { file =>
          Thread.sleep(30000)
          Option(file.fileId)
        }
      }
    finally {
      cancelling.interrupt()
      cancelling.join()
      context.clearJobGroup()
    }
  }

  private def described(query: DataFrame): String =
    query.queryExecution.executedPlan.toString
}
