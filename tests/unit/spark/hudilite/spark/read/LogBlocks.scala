package hudilite.spark.read

import java.io.{ByteArrayOutputStream, DataOutputStream}
import java.nio.ByteBuffer

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.avro.Schema
import org.apache.avro.generic.{GenericData, GenericDatumWriter, GenericRecord}
import org.apache.avro.io.EncoderFactory
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.conf.PlainParquetConfiguration
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.MessageTypeParser
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.parquet.ParquetReadSupport
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

import hudilite.io.MemoryFile

/** Rows as the content of an Avro block and as that of a Parquet block: one column of each type, as stock
  * Hudi stores it. */
object LogBlocks {
  val path = new Path("file:/tmp/.f_1.log.1_0-1-0")

  val columns: StructType = StructType.fromDDL(
    """b BOOLEAN, i INT, l BIGINT, f FLOAT, d DOUBLE, s STRING, y BINARY, dt DATE, ts TIMESTAMP,
      |tm TIMESTAMP, nt TIMESTAMP_NTZ, nm TIMESTAMP_NTZ, d5 DECIMAL(5,2), d12 DECIMAL(12,3),
      |d30 DECIMAL(30,10), db DECIMAL(20,2), tiny TINYINT, small SMALLINT, e STRING, fx BINARY,
      |a ARRAY<INT>, m MAP<STRING, BIGINT>, st STRUCT<x: INT, n: STRUCT<z: STRING>, g: ARRAY<STRING>>,
      |ast ARRAY<STRUCT<p: INT>>""".stripMargin
  )

  /** Values of a row as both formats store them. */
  final case class Values(
      bool: Boolean,
      int: Int,
      long: Long,
      real: Double,
      text: String,
      unscaled: BigInt,
      list: Seq[Option[Int]],
      map: Seq[(String, Option[Long])]
  ) {
    def bytes: Array[Byte] = text.getBytes("UTF-8")
    def symbol: String = if (bool) "RED" else "BLUE"
    def fixed: Array[Byte] = Array(1, 2, int.toByte)
  }

  /** The last row has a null in each column. */
  val values: Seq[Option[Values]] = Seq(
    Some(Values(bool = true, -7, 1704164645678901L, 1.25, "añ", BigInt(-12345),
      Seq(Some(1), None, Some(3)), Seq("k" -> Some(5L), "n" -> None))),
    Some(Values(bool = false, 100, -1500L, Double.NaN, "", BigInt(99999), Seq.empty, Seq.empty)),
    Some(Values(bool = true, 3, 0L, -0.0, "x" * 100, BigInt(0), Seq(None), Seq("z" -> Some(-1L)))),
    None
  )

  private val avroTypes = Seq(
    "b" -> "\"boolean\"",
    "i" -> "\"int\"",
    "l" -> "\"long\"",
    "f" -> "\"float\"",
    "d" -> "\"double\"",
    "s" -> "\"string\"",
    "y" -> "\"bytes\"",
    "dt" -> logical("int", "date"),
    "ts" -> logical("long", "timestamp-micros"),
    "tm" -> logical("long", "timestamp-millis"),
    "nt" -> logical("long", "local-timestamp-micros"),
    "nm" -> logical("long", "local-timestamp-millis"),
    "d5" -> decimal("d5", 3, 5, 2),
    "d12" -> decimal("d12", 6, 12, 3),
    "d30" -> decimal("d30", 13, 30, 10),
    "db" -> """{"type":"bytes","logicalType":"decimal","precision":20,"scale":2}""",
    "tiny" -> "\"int\"",
    "small" -> "\"int\"",
    "e" -> """{"type":"enum","name":"e","symbols":["RED","BLUE"]}""",
    "fx" -> """{"type":"fixed","name":"fx","size":3}""",
    "a" -> """{"type":"array","items":["null","int"]}""",
    "m" -> """{"type":"map","values":["null","long"]}""",
    "st" -> """{"type":"record","name":"st","fields":[{"name":"x","type":"int"},
      {"name":"n","type":["null",{"type":"record","name":"n","fields":[
      {"name":"z","type":["null","string"]}]}]},
      {"name":"g","type":{"type":"array","items":["null","string"]}}]}""",
    "ast" -> """{"type":"array","items":["null",{"type":"record","name":"q","fields":[
      {"name":"p","type":"int"}]}]}"""
  )

  private def logical(of: String, name: String) = s"""{"type":"$of","logicalType":"$name"}"""
  private def decimal(name: String, size: Int, precision: Int, scale: Int) =
    s"""{"type":"fixed","name":"$name","size":$size,"logicalType":"decimal",
       "precision":$precision,"scale":$scale}"""

  /** Schema of a record with fields of these types. */
  def schemaOf(fields: (String, String)*): String =
    fields
      .map { case (name, of) => s"""{"name":"$name","type":$of}""" }
      .mkString("""{"type":"record","name":"t","fields":[""", ",", "]}")

  val schema: String = schemaOf(avroTypes.map { case (n, of) => n -> s"""["null",$of]""" }: _*)

  /** Returns the content of an Avro block. */
  def avro(schema: String, version: Int = 3)(records: GenericRecord*): Array[Byte] = {
    val out = new ByteArrayOutputStream
    val data = new DataOutputStream(out)
    data.writeInt(version)
    data.writeInt(records.size)
    records.foreach { record =>
      val bytes = new ByteArrayOutputStream
      val encoder = EncoderFactory.get.binaryEncoder(bytes, None.orNull)
      new GenericDatumWriter[GenericRecord](new Schema.Parser().parse(schema)).write(record,
        encoder)
      encoder.flush()
      data.writeInt(bytes.size)
      bytes.writeTo(data)
    }
    out.toByteArray
  }

  /** Returns a record of a schema. */
  def record(schema: String)(values: (String, Any)*): GenericRecord = {
    val made = new GenericData.Record(new Schema.Parser().parse(schema))
    values.foreach { case (name, value) => made.put(name, value) }
    made
  }

  lazy val avro: Array[Byte] =
    avro(schema)(values.map(_.fold(record(schema)())(recordOf)): _*)

  private def recordOf(v: Values): GenericRecord = {
    val parsed = new Schema.Parser().parse(schema)
    def of(column: String) = parsed.getField(column).schema.getTypes.get(1)
    def fixed(column: String, bytes: Array[Byte]) = new GenericData.Fixed(of(column), bytes)
    def sized(column: String) =
      fixed(column, bytesOf(v.unscaled, of(column).getFixedSize))
    val struct = new GenericData.Record(of("st"))
    struct.put("x", v.int)
    if (v.bool) {
      val inner = new GenericData.Record(of("st").getField("n").schema.getTypes.get(1))
      inner.put("z", v.text)
      struct.put("n", inner)
    }
    struct.put("g", v.list.map(_.map(_.toString).orNull).asJava)
    record(schema)(
      "b" -> v.bool,
      "i" -> v.int,
      "l" -> v.long,
      "f" -> v.real.toFloat,
      "d" -> v.real,
      "s" -> v.text,
      "y" -> ByteBuffer.wrap(v.bytes),
      "dt" -> v.int,
      "ts" -> v.long,
      "tm" -> v.long / 1000,
      "nt" -> v.long,
      "nm" -> v.long / 1000,
      "d5" -> sized("d5"),
      "d12" -> sized("d12"),
      "d30" -> sized("d30"),
      "db" -> ByteBuffer.wrap(v.unscaled.toByteArray),
      "tiny" -> v.int,
      "small" -> v.int,
      "e" -> new GenericData.EnumSymbol(of("e"), v.symbol),
      "fx" -> fixed("fx", v.fixed),
      "a" -> v.list.map(_.map(Int.box).orNull).asJava,
      "m" -> v.map.map { case (k, n) => k -> n.map(Long.box).orNull }.toMap.asJava,
      "st" -> struct,
      "ast" -> v.list.map(_.map { n =>
        val item = new GenericData.Record(of("ast").getElementType.getTypes.get(1))
        item.put("p", n)
        item
      }.orNull)
        .asJava
    )
  }

  private def bytesOf(unscaled: BigInt, size: Int): Array[Byte] = {
    val bytes = unscaled.toByteArray
    Array.fill[Byte](size - bytes.length)(if (unscaled < 0) -1 else 0) ++ bytes
  }

  private val message =
    """message t { optional boolean b; optional int32 i; optional int64 l; optional float f;
      |optional double d; optional binary s (STRING); optional binary y; optional int32 dt (DATE);
      |optional int64 ts (TIMESTAMP(MICROS,true)); optional int64 tm (TIMESTAMP(MILLIS,true));
      |optional int64 nt (TIMESTAMP(MICROS,false)); optional int64 nm (TIMESTAMP(MILLIS,false));
      |optional fixed_len_byte_array(3) d5 (DECIMAL(5,2));
      |optional fixed_len_byte_array(6) d12 (DECIMAL(12,3));
      |optional fixed_len_byte_array(13) d30 (DECIMAL(30,10)); optional binary db (DECIMAL(20,2));
      |optional int32 tiny; optional int32 small; optional binary e (ENUM);
      |optional fixed_len_byte_array(3) fx;
      |optional group a (LIST) { repeated group list { optional int32 element; } }
      |optional group m (MAP) {
      |  repeated group key_value { required binary key (STRING); optional int64 value; } }
      |optional group st { required int32 x; optional group n { optional binary z (STRING); }
      |  required group g (LIST) { repeated group list { optional binary element (STRING); } } }
      |optional group ast (LIST) { repeated group list { optional group element {
      |  required int32 p; } } } }""".stripMargin

  lazy val parquet: Array[Byte] = parquet(message)(values.map { row => (group: Group) =>
    row.foreach(fill(group, _))
  }: _*)

  /** Returns the content of a Parquet block with a row of each function. */
  def parquet(message: String)(rows: (Group => Unit)*): Array[Byte] = {
    val out = new ByteArrayOutputStream
    val schema = MessageTypeParser.parseMessageType(message)
    val writer = ExampleParquetWriter
      .builder(new MemoryFile(out))
      .withType(schema)
      .withConf(new PlainParquetConfiguration())
      .build()
    val groups = new SimpleGroupFactory(schema)
    rows.foreach { fill =>
      val group = groups.newGroup()
      fill(group)
      writer.write(group)
    }
    writer.close()
    out.toByteArray
  }

  private def fill(group: Group, v: Values): Unit = {
    def binary(bytes: Array[Byte]) = Binary.fromConstantByteArray(bytes)
    group.append("b", v.bool).append("i", v.int).append("l", v.long)
      .append("f", v.real.toFloat).append("d", v.real).append("s", v.text)
      .append("y", binary(v.bytes)).append("dt", v.int).append("ts", v.long)
      .append("tm", v.long / 1000).append("nt", v.long).append("nm", v.long / 1000)
      .append("d5", binary(bytesOf(v.unscaled, 3))).append("d12", binary(bytesOf(v.unscaled, 6)))
      .append("d30", binary(bytesOf(v.unscaled, 13)))
      .append("db", binary(v.unscaled.toByteArray)).append("tiny", v.int).append("small", v.int)
      .append("e", v.symbol).append("fx", binary(v.fixed))
    list(group.addGroup("a"), v.list)((to, n) => to.append("element", n))
    val map = group.addGroup("m")
    v.map.foreach { case (key, value) =>
      val entry = map.addGroup("key_value").append("key", key)
      value.foreach(entry.append("value", _))
    }
    val struct = group.addGroup("st").append("x", v.int)
    if (v.bool) struct.addGroup("n").append("z", v.text): Unit
    list(struct.addGroup("g"), v.list)((to, n) => to.append("element", n.toString))
    list(group.addGroup("ast"), v.list)((to, n) => to.addGroup("element").append("p", n))
  }

  private def list(to: Group, values: Seq[Option[Int]])(put: (Group, Int) => Any): Unit =
    values.foreach { value =>
      val item = to.addGroup("list")
      value.foreach(put(item, _))
    }

  /** Opens a reader of an Avro block. */
  def ofAvro(
      content: Array[Byte],
      columns: StructType,
      schema: String = schema,
      rows: Int = 4096,
      offHeap: Boolean = false
  ): PartitionReader[ColumnarBatch] =
    AvroBatches.open(schema, content, columns, path.toString, isCaseSensitive = false,
      settings(rows, offHeap)).batches

  /** Opens a reader of a Parquet block. */
  def ofParquet(
      content: Array[Byte],
      columns: StructType,
      rows: Int = 4096
  ): PartitionReader[ColumnarBatch] =
    ParquetBlock.open(settings(rows, offHeap = false), conf(columns), path, content, columns.size,
      ChangedTypes.of(_, columns, isCaseSensitive = false)).batches

  private def settings(rows: Int, offHeap: Boolean) =
    BatchSettings(rows, rows * LogBlocks.columns.size, offHeap, convertsInt96 = false, "CORRECTED",
      "CORRECTED")

  private def conf(columns: StructType): Configuration = {
    val conf = new Configuration(false)
    conf.set(ParquetInputFormat.READ_SUPPORT_CLASS, classOf[ParquetReadSupport].getName)
    conf.set(ParquetReadSupport.SPARK_ROW_REQUESTED_SCHEMA, columns.json)
    Seq(
      SQLConf.NESTED_SCHEMA_PRUNING_ENABLED -> true,
      SQLConf.CASE_SENSITIVE -> false,
      SQLConf.PARQUET_BINARY_AS_STRING -> false,
      SQLConf.PARQUET_INT96_AS_TIMESTAMP -> true,
      SQLConf.PARQUET_INFER_TIMESTAMP_NTZ_ENABLED -> true,
      SQLConf.LEGACY_PARQUET_NANOS_AS_LONG -> false
    ).foreach { case (entry, value) => conf.setBoolean(entry.key, value) }
    conf
  }

  /** Returns the texts of the values of all rows, and closes the reader. */
  def texts(reader: PartitionReader[ColumnarBatch], columns: StructType): Seq[Seq[String]] =
    try Iterator.continually(reader).takeWhile(_.next()).flatMap(r => texts(r.get, columns)).toList
    finally reader.close()

  /** Returns the texts of the values of a batch. */
  def texts(batch: ColumnarBatch, columns: StructType): Seq[Seq[String]] = {
    val external = CatalystTypeConverters.createToScalaConverter(columns)
    batch.rowIterator.asScala.map(row => fields(external(row))).toList
  }

  private def fields(row: Any): Seq[String] = row match {
    case row: Row => row.toSeq.map(text)
    case other => fail(other)
  }

  private def fail(other: Any) = throw new IllegalArgumentException(s"$other is no row")

  private def text(value: Any): String = value match {
    case bytes: Array[Byte] => bytes.mkString("bytes ", " ", "")
    case row: Row => fields(row).mkString("{", ", ", "}")
    case map: scala.collection.Map[_, _] =>
      map.map { case (k, v) => s"${text(k)}: ${text(v)}" }.toSeq.sorted.mkString("{", ", ", "}")
    case items: mutable.Seq[_] => items.map(text).mkString("[", ", ", "]")
    case items: Seq[_] => items.map(text).mkString("[", ", ", "]")
    case other => String.valueOf(other)
  }
}
