package hudilite.spark.read

import java.nio.file.Files

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException
import hudilite.format.LogBlock
import hudilite.spark.SparkSuite
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.MetaColumns
import hudilite.view.{FileSlice, LogFile, SliceBase}

/** Base rows and rows of log files, apart, of a slice whose log files have partial updates. */
class PartialApartSuite extends SparkSuite {
  private val read =
    StructType.fromDDL("_hoodie_record_key STRING, id INT NOT NULL, v STRING, n INT NOT NULL")
  private lazy val table = opened()
  private lazy val slice = table.snapshot.slices("").head

  /** Opens a table with the rows 0 to 9 in a base file, and one log file. */
  private def opened(): HudiliteTable = {
    val base = folder.resolve("db").resolve("t")
    sql("CREATE TABLE t (id INT, v STRING, n INT NOT NULL, PRIMARY KEY (id)) USING hudilite " +
      "WITH BUCKETS 1 TBLPROPERTIES (type = 'mor', 'hoodie.write.table.version' = '9')")
    sql("INSERT INTO t SELECT CAST(id AS INT), 'one', CAST(id AS INT) FROM range(10)")
    sql("UPDATE t SET v = 'two' WHERE id = 3")
    HudiliteTable.open(spark, "t", new Path(base.toUri), Map.empty)
  }

  /** Returns a slice whose log file has a partial update of `v` for each key. */
  private def updated(keys: String*): FileSlice = {
    val schema = LogBlocks.schemaOf(
      "_hoodie_record_key" -> """["null","string"]""",
      "v" -> """["null","string"]"""
    )
    val rows = keys.map(key =>
      LogBlocks.record(schema)("_hoodie_record_key" -> key, "v" -> s"new $key")
    )
    val own = slice.logs.head
    val header = Seq(
      LogBlock.instantKey -> own.name.instant,
      LogBlock.schemaKey -> schema,
      LogBlock.isPartialKey -> "true"
    )
    val bytes = LogBlock.bytes(LogBlock.avroData, header, LogBlocks.avro(schema)(rows: _*))
    val place = Files.createTempDirectory("hudilite-partial").resolve(own.path.getName)
    Files.write(place, bytes)
    slice.copy(
      base = SliceBase.BaseFile(counted(slice.path), slice.base.length),
      logs = Seq(LogFile(counted(new Path(place.toUri)), bytes.length.toLong, own.name))
    )
  }

  private def counted(path: Path) = new Path(s"counted://open${path.toUri.getPath}")

  private def factory: SliceReaderFactory = SliceReader.factory(
    spark,
    table.config,
    MetaColumns.before(table.schema),
    read,
    Array.empty[Filter],
    Map("fs.counted.impl" -> classOf[CountedFiles].getName),
    strict = true,
    logs = Some(table.snapshot),
    inVectors = true
  )

  private def rows(reader: PartitionReader[ColumnarBatch]): Seq[Seq[String]] =
    LogBlocks.texts(reader, read)

  private def isBeaten(apart: RowsApart, key: String) =
    apart.isBeaten(UTF8String.fromString(key))

  test("partial updates are put together with one reading of the base") {
    val merged = updated("2", "7")
    val alone = CountedFiles.opensOf(slice.fileName) {
      rows(factory.openBatches(merged.withoutLogs.get).get)
    }
    assert(alone > 0)
    val opens = CountedFiles.opensOf(slice.fileName) {
      val apart = factory.openApart(merged)
      val ofLogs = rows(apart.ofLogs) // as a sort reads them, before the base
      assert(ofLogs.map(row => Seq(row.head, row(2))) == Seq(Seq("2", "new 2"), Seq("7", "new 7")))
      assert(rows(apart.ofBase) == (0 until 10).map { i =>
        Seq(i.toString, i.toString, if (Set(2, 7)(i)) s"new $i" else "one", i.toString)
      })
      assert(isBeaten(apart, "2") && isBeaten(apart, "7"))
    }
    assert(opens == alone)
  }

  test("a partial update of a row that is gone is an error once the base was read") {
    val apart = factory.openApart(updated("2", "70"))
    assert(rows(apart.ofLogs).size == 2 && rows(apart.ofBase).size == 10)
    assert(isBeaten(apart, "2"))
    val fault = intercept[HudiliteException](isBeaten(apart, "70"))
    assert(fault.condition == "HUDILITE_CORRUPT_DATA_FILE")
    assert(fault.parameters("reason").contains("id must not be NULL"))
    assert(fault.parameters("path").endsWith(slice.logs.head.path.getName))
  }
}
