package hudilite.spark.write

import java.time.{Instant, LocalDate, LocalDateTime, ZoneId, ZoneOffset}
import java.util.concurrent.atomic.AtomicInteger

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{
  ColumnChunkMetaData,
  CompressionCodecName,
  ParquetMetadata
}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{FilterRule, MetaFields}
import hudilite.spark.SparkSuite

/** Base files in a folder of their own, what is in them and how it lies there. */
trait BaseFiles extends SparkSuite {

  /** Columns of every flat type behind the meta columns. */
  protected val flat: StructType = StructType(
    MetaFields.all.map(StructField(_, StringType)) ++ Seq(
      StructField("yes", BooleanType),
      StructField("i8", ByteType),
      StructField("i16", ShortType),
      StructField("i32", IntegerType),
      StructField("i64", LongType),
      StructField("f32", FloatType),
      StructField("f64", DoubleType),
      StructField("d9", DecimalType(9, 2)),
      StructField("d18", DecimalType(18, 3)),
      StructField("d20", DecimalType(20, 0)),
      StructField("d38", DecimalType(38, 10)),
      StructField("text", StringType),
      StructField("raw", BinaryType),
      StructField("day", DateType),
      StructField("ts", TimestampType),
      StructField("ntz", TimestampNTZType),
      StructField("must", IntegerType, nullable = false)
    )
  )

  private val files = new AtomicInteger
  private val footers = mutable.Map.empty[Path, ParquetMetadata]

  /** Returns a patch with some values, whose meta columns are those of `002`. */
  protected def patchOf(values: UnsafeRow, sequence: String = "002_0_0"): NewRow = {
    def text(of: String) = UTF8String.fromString(of)
    new NewRow(text("002"), text(""), text("b.parquet")).of(text(sequence), text(""), values)
  }

  /** Returns the places of columns in a patch.
    * @param ofValues ordinals of their values, negative for a column that it does not contain */
  protected def placesOf(ofValues: Int*): Array[Int] =
    ofValues.map(at => if (at < 0) at else NewRow.metaColumns + at).toArray

  protected def layout(
      pageRows: Int,
      rowGroupRows: Int,
      codec: CompressionCodecName = CompressionCodecName.SNAPPY
  ): FileLayout =
    FileLayout(codec, pageRows, rowGroupRows, FilterRule.Always, "SIMPLE", copies = true)

  /** Rows of `flat`: extremes first, then nulls, then numbers. */
  protected def flatRows(count: Int): Seq[Row] = Seq.tabulate(count) { i =>
    val meta = Seq("001", s"001_0_$i", f"k$i%05d", "", "a.parquet")
    val data: Seq[Any] = i match {
      case 0 => Seq(
          true,
          Byte.MinValue,
          Short.MinValue,
          Int.MinValue,
          Long.MinValue,
          Float.MinValue,
          Double.MinValue,
          dec("-9999999.99"),
          dec("-999999999999999.999"),
          dec("-" + "9" * 20),
          dec("-" + "9" * 28 + "." + "9" * 10),
          "",
          Array.empty[Byte],
          LocalDate.of(1, 1, 1),
          Instant.parse("0001-01-01T00:00:00Z"),
          LocalDateTime.of(1, 1, 1, 0, 0)
        )
      case 1 => Seq(
          false,
          Byte.MaxValue,
          Short.MaxValue,
          Int.MaxValue,
          Long.MaxValue,
          Float.NaN,
          Double.PositiveInfinity,
          dec("9999999.99"),
          dec("999999999999999.999"),
          dec("9" * 20),
          dec("9" * 28 + "." + "9" * 10),
          "\uD83D\uDE00 \uFFFF \u00E9\u0000",
          Array[Byte](0, -1, 127),
          LocalDate.of(9999, 12, 31),
          Instant.parse("9999-12-31T23:59:59.999999Z"),
          LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999999000)
        )
      case n if n % 4 == 2 => Seq.fill(16)(None.orNull)
      case n => Seq(
          n % 3 == 0,
          (n % 100).toByte,
          n.toShort,
          -n,
          n * 10000000000L,
          n / 4f,
          n / 8d,
          dec(s"$n.25"),
          dec(s"-$n.125"),
          dec(s"$n"),
          dec(s"-$n.5"),
          s"text ${n % 5}",
          s"raw $n".getBytes,
          LocalDate.of(1970, 1, 1).plusDays(n.toLong),
          Instant.ofEpochSecond(n.toLong, 1000),
          LocalDateTime.of(2020, 1, 1, 0, n % 60)
        )
    }
    Row.fromSeq(meta ++ data :+ i)
  }

  /** Rows as Spark's operators pass them on. */
  protected def internal(rows: Seq[Row], schema: StructType): Seq[UnsafeRow] =
    spark.createDataFrame(rows.asJava, schema).queryExecution.executedPlan
      .executeCollect().toSeq.collect { case row: UnsafeRow => row }

  /** Gives `use` the rows batch by batch, as Spark's reader makes them. */
  protected def inBatches(
      rows: Seq[Row],
      schema: StructType,
      offHeap: Boolean,
      size: Int,
      dictionary: Boolean = true
  )(
      use: ColumnarBatch => Unit
  ): Unit = {
    val source = newPath("source")
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    spark.createDataFrame(rows.asJava, schema).coalesce(1).write
      .option("parquet.enable.dictionary", dictionary.toString).parquet(source.toString)
    val file = new java.io.File(source.toUri.getPath).listFiles.map(_.toString)
      .find(_.endsWith(".parquet")).get
    val utc = ZoneId.of("UTC").getId
    Using.resource(
      new VectorizedParquetRecordReader(
        ZoneOffset.UTC,
        "CORRECTED",
        utc,
        "CORRECTED",
        utc,
        offHeap,
        size
      )
    ) { reader =>
      reader.initialize(file, schema.fieldNames.toSeq.asJava)
      reader.initBatch(new StructType, InternalRow.empty)
      reader.enableReturningBatches()
      while (reader.nextBatch()) use(reader.resultBatch())
    }
  }

  /** Writes a file. */
  protected def written(schema: StructType, layout: FileLayout)(
      body: BaseFileWriter => Unit
  ): Path = {
    val path = newPath("file.parquet")
    val writer = opened(path, schema, layout)
    body(writer)
    writer.close()
    path
  }

  protected def opened(path: Path, schema: StructType, layout: FileLayout): BaseFileWriter =
    new BaseFileWriter(path, conf, schema, layout, () => Map("ours" -> "yes"))

  protected def newPath(name: String): Path =
    new Path(folder.resolve(s"${files.incrementAndGet()}-$name").toUri)

  /** What Spark reads from a file, in the order of its rows. */
  protected def read(path: Path, schema: StructType): Seq[Row] =
    spark.read.schema(schema).parquet(path.toString).collect().toSeq

  protected def withFooter[A](path: Path)(use: ParquetFileReader => A): A =
    Using.resource(ParquetFileReader.open(HadoopInputFile.fromPath(path, conf)))(use)

  /** Of a file that is finished: it is read once. */
  protected def footer(path: Path): ParquetMetadata =
    footers.getOrElseUpdate(path, withFooter(path)(_.getFooter))

  /** Rows of each row group. */
  protected def groups(path: Path): Seq[Long] =
    footer(path).getBlocks.asScala.toSeq.map(_.getRowCount)

  /** First rows of a column's pages, by row groups. */
  protected def pages(path: Path, column: String): Seq[Seq[Long]] = withFooter(path) { reader =>
    reader.getFooter.getBlocks.asScala.toSeq.map { block =>
      val chunk = block.getColumns.asScala.find(_.getPath.toDotString == column).get
      val index = reader.readOffsetIndex(chunk)
      Seq.tabulate(index.getPageCount)(index.getFirstRowIndex)
    }
  }

  protected def chunk(path: Path, group: Int, column: String): ColumnChunkMetaData =
    footer(path).getBlocks.get(group).getColumns.asScala
      .find(_.getPath.toDotString == column).get

  /** Bytes of a column's pages. */
  protected def body(path: Path, group: Int, column: String): Seq[Byte] = {
    val of = chunk(path, group, column)
    Using.resource(HadoopInputFile.fromPath(path, conf).newStream()) { in =>
      val bytes = new Array[Byte](of.getTotalSize.toInt)
      in.seek(of.getStartingPos)
      in.readFully(bytes)
      bytes.toSeq
    }
  }

  /** What the file tells of a column's pages, where they lie counted from the first. */
  protected def indexes(path: Path, group: Int, column: String): (String, Seq[Seq[Long]]) =
    withFooter(path) { reader =>
      val of = chunk(path, group, column)
      val values = Option(reader.readColumnIndex(of)).fold("none")(_.toString)
      val offsets = reader.readOffsetIndex(of)
      val places = Seq.tabulate(offsets.getPageCount) { page =>
        Seq(
          offsets.getOffset(page) - of.getStartingPos,
          offsets.getCompressedPageSize(page).toLong,
          offsets.getFirstRowIndex(page)
        )
      }
      (values, places)
    }

  protected lazy val conf: Configuration = spark.sessionState.newHadoopConf()

  private def dec(text: String) = new java.math.BigDecimal(text)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.sql.datetime.java8API.enabled", "true")
    spark.conf.set("spark.sql.parquet.datetimeRebaseModeInWrite", "CORRECTED")
  }

  override protected def afterAll(): Unit = {
    spark.conf.unset("spark.sql.datetime.java8API.enabled")
    spark.conf.unset("spark.sql.parquet.datetimeRebaseModeInWrite")
    spark.conf.unset("spark.sql.parquet.outputTimestampType")
    super.afterAll()
  }
}
