package hudilite.spark.read

import java.net.URI
import java.nio.file.{AccessDeniedException, Files, Path => LocalPath}
import java.time.LocalDate
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FileStatus, Path, RawLocalFileSystem}
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.MessageTypeParser
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.sources.{EqualTo, Filter}
import org.apache.spark.sql.types._

import hudilite.error.HudiliteException
import hudilite.format.TableConfig
import hudilite.spark.SparkSuite
import hudilite.view.FileSlice

class SliceReaderSuite extends SparkSuite {

  private val ancient = LocalDate.of(1500, 2, 3)
  private val ancientMicros = ancient.toEpochDay * 86400000000L + 1L

  /** As stock Hudi writes: no word of Spark in the footer. */
  private lazy val foreign: FileSlice = written(
    """message hoodie.t.t_record {
      |  optional binary k (UTF8);
      |  optional int32 d (DATE);
      |  optional int64 ts (TIMESTAMP(MICROS,true));
      |  optional int64 ntz (TIMESTAMP(MICROS,false));
      |  optional binary raw;
      |  optional int32 small;
      |}""".stripMargin
  ) { (group, i) =>
    group
      .append("k", s"k$i")
      .append("d", ancient.toEpochDay.toInt)
      .append("ts", ancientMicros)
      .append("ntz", ancientMicros)
      .append("raw", Binary.fromConstantByteArray(Array[Byte](-1, i.toByte)))
      .append("small", i)
    ()
  }

  private val foreignSchema = StructType.fromDDL(
    "k STRING, d DATE, ts TIMESTAMP, ntz TIMESTAMP_NTZ, raw BINARY, small TINYINT"
  )

  test("a file without Spark's version holds proleptic dates, whatever the session says of types") {
    val settings = Map(
      "spark.sql.parquet.datetimeRebaseModeInRead" -> "LEGACY",
      "spark.sql.parquet.binaryAsString" -> "true",
      "spark.sql.parquet.inferTimestampNTZ.enabled" -> "false",
      "spark.sql.parquet.int96AsTimestamp" -> "false",
      "spark.sql.session.timeZone" -> "America/New_York"
    )
    Seq(Map.empty[String, String], settings).foreach { session =>
      session.foreach { case (key, value) => spark.conf.set(key, value) }
      val row = rows(foreign, foreignSchema).head
      session.keys.foreach(spark.conf.unset)
      assert(DateTimeUtils.daysToLocalDate(row(1).asInstanceOf[Int]) == ancient)
      assert(row(2) == ancientMicros)
      assert(row(3) == ancientMicros)
      assert(row(4).asInstanceOf[Array[Byte]].toSeq == Seq[Byte](-1, 0))
      assert(row(5) == 0.toByte)
    }
  }

  // F53
  test("a column that the file lacks is null") {
    val added = StructType.fromDDL("small INT, later STRING")
    assert(rows(foreign, added).take(2) == Seq(Seq[Any](0, null), Seq[Any](1, null)))
  }

  test("a pushed filter skips row groups and pages, and keeps every row that passes") {
    val slice = written("message m { required int32 id; }") { (group, i) =>
      group.append("id", i)
      ()
    }
    val schema = StructType.fromDDL("id INT")
    val found = rows(slice, schema, Array(EqualTo("id", 7))).map(_.head)
    assert(found.contains(7))
    assert(found.size < rows(slice, schema).size)
  }

  test("a file of a table is opened without another look at it, and a refusal says what to do") {
    val slice = written("message m { required int32 id; }") { (group, i) =>
      group.append("id", i)
      ()
    }
    val schema = StructType.fromDDL("id INT")
    val options = Map("fs.counted.impl" -> classOf[CountedFiles].getName)
    def under(authority: String) = FileSlice.ofBase(
      slice.partition,
      slice.fileId,
      slice.instant,
      new Path(s"counted://$authority${slice.path.toUri.getPath}"),
      slice.length
    )
    val found = rows(under("open"), schema, options = options)
    assert(found == rows(slice, schema))
    assert(CountedFiles.opened.get > 0 && CountedFiles.looks.get == CountedFiles.opened.get)
    val factory = SliceReader.factory(spark, TableConfig(Map.empty), schema, schema, Array.empty,
      options)
    val fault = intercept[HudiliteException](factory.openRows(under("refused")).next())
    assert(fault.condition == "HUDILITE_STORAGE_FAILED")
    assert(fault.parameters("fix").contains("Grant"))
  }

  private def rows(
      slice: FileSlice,
      schema: StructType,
      filters: Array[Filter] = Array.empty,
      options: Map[String, String] = Map.empty
  ): Seq[Seq[Any]] = {
    val reader = SliceReader
      .factory(spark, TableConfig(Map.empty), schema, schema, filters, options, strict = true)
      .openBatches(slice)
      .get
    try
      Iterator
        .continually(reader)
        .takeWhile(_.next())
        .flatMap(_.get().rowIterator.asScala.map(_.copy().toSeq(schema)).toList)
        .toList
    finally reader.close()
  }

  private def written(message: String)(
      fill: (org.apache.parquet.example.data.Group, Int) => Unit
  ): FileSlice = {
    val file: LocalPath = Files.createTempDirectory("hudilite-slice").resolve("f_0-1-0_1.parquet")
    val schema = MessageTypeParser.parseMessageType(message)
    val writer = ExampleParquetWriter
      .builder(new Path(file.toUri))
      .withType(schema)
      .withConf(new Configuration())
      .withPageRowCountLimit(100)
      .build()
    val groups = new SimpleGroupFactory(schema)
    (0 until 500).foreach { i =>
      val group = groups.newGroup()
      fill(group, i)
      writer.write(group)
    }
    writer.close()
    FileSlice.ofBase("", "f", "1", new Path(file.toUri), Files.size(file))
  }
}

/** Local files that count how often they are looked at and opened; opening looks once. Those of the
  * authority `refused` may not be opened. */
class CountedFiles extends RawLocalFileSystem {
  private var place = URI.create("counted://open")

  override def initialize(name: URI, conf: Configuration): Unit = {
    super.initialize(name, conf)
    place = URI.create(s"counted://${name.getAuthority}")
  }
  override def getUri: URI = Option(place).getOrElse(URI.create("counted://open"))
  override def getScheme: String = "counted"
  override protected def checkPath(path: Path): Unit = ()

  override def getFileStatus(path: Path): FileStatus = {
    CountedFiles.looks.incrementAndGet()
    super.getFileStatus(path)
  }

  override def open(path: Path, buffer: Int): FSDataInputStream = {
    if (getUri.getAuthority == "refused") throw new AccessDeniedException(path.toString)
    CountedFiles.opened.incrementAndGet()
    CountedFiles.names.add(path.getName)
    super.open(path, buffer)
  }
}

object CountedFiles {
  val looks, opened = new AtomicInteger

  /** Names of the files that were opened. */
  val names = new ConcurrentLinkedQueue[String]

  /** Returns how often a file was opened while some code ran. */
  def opensOf(name: String)(body: => Any): Int = {
    names.clear()
    body: Unit
    names.asScala.count(_ == name)
  }
}
