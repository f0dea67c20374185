package hudilite.spark.read

import java.nio.ByteBuffer

import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException

/** Rows of blocks of log files: Avro records and Parquet files give the same vectors. */
class LogBlocksSuite extends AnyFunSuite {
  import LogBlocks._

  private def ddl(text: String) = StructType.fromDDL(text)

  /** Rows of an Avro block with one record per value of the field `c`. */
  private def column(avroType: String, wanted: String)(values: Any*): Seq[String] = {
    val schema = schemaOf("c" -> avroType)
    val content = avro(schema)(values.map(v => record(schema)("c" -> v)): _*)
    val columns = ddl(s"c $wanted")
    texts(ofAvro(content, columns, schema), columns).flatten
  }

  private def refused(avroType: String, wanted: String): Map[String, String] = {
    val error = intercept[HudiliteException](column(avroType, wanted)())
    assert(error.condition == "HUDILITE_COLUMN_TYPE_MISMATCH")
    assert(error.parameters("path") == path.toString)
    error.parameters - "path"
  }

  private def corrupt(body: => Any): String = {
    val error = intercept[HudiliteException](body)
    assert(error.condition == "HUDILITE_CORRUPT_DATA_FILE")
    assert(error.parameters("path") == path.toString)
    error.parameters("reason")
  }

  private val names = columns.fieldNames.toSeq

  test("each type has the same values in an Avro and in a Parquet block") {
    val ofFile = texts(ofParquet(parquet, columns), columns)
    assert(ofFile.head == Seq(
      "true",
      "-7",
      "1704164645678901",
      "1.25",
      "1.25",
      "añ",
      "bytes 97 -61 -79",
      "1969-12-25",
      "2024-01-02 03:04:05.678901",
      "2024-01-02 03:04:05.678",
      "2024-01-02T03:04:05.678901",
      "2024-01-02T03:04:05.678",
      "-123.45",
      "-12.345",
      "-0.0000012345",
      "-123.45",
      "-7",
      "-7",
      "RED",
      "bytes 1 2 -7",
      "[1, null, 3]",
      "{k: 5, n: null}",
      "{-7, {añ}, [1, null, 3]}",
      "[{1}, null, {3}]"
    ))
    assert(ofFile(1).takeRight(4) == Seq("[]", "{}", "{100, null, []}", "[]"))
    assert(ofFile.last == names.map(_ => "null") && ofFile.size == 4)
    Seq(true, false).foreach { offHeap =>
      assert(texts(ofAvro(avro, columns, offHeap = offHeap), columns) == ofFile)
    }
  }

  test("batches of some rows give all rows") {
    (1 to 5).foreach { rows =>
      val all = texts(ofParquet(parquet, columns), columns)
      assert(texts(ofAvro(avro, columns, rows = rows), columns) == all)
      assert(texts(ofParquet(parquet, columns, rows), columns) == all)
    }
  }

  test("some columns in any order, found by name; one that the block does not have is null") {
    val some =
      ddl("st STRUCT<new: INT, G: ARRAY<STRING>, ns: STRUCT<o: INT>>, absent STRUCT<o: INT>," +
        "T2 BIGINT, I INT, ast ARRAY<STRUCT<p: INT, other: STRING>>")
    val ofFile = texts(ofParquet(parquet, some), some)
    assert(ofFile.head == Seq("{null, [1, null, 3], null}", "null", "null", "-7",
      "[{1, null}, null, {3, null}]"))
    assert(texts(ofAvro(avro, some), some) == ofFile)
    assert(texts(ofAvro(avro, new StructType), new StructType) == Seq.fill(4)(Nil))
  }

  test("selected rows of a batch: every type, any order, more than once") {
    def check(reader: PartitionReader[ColumnarBatch]) = {
      assert(reader.next())
      val whole = texts(reader.get, columns)
      val rows = Array(3, 1, 0, 0, 2, 99)
      val batch = SelectedBatch.of(reader.get, rows, 5, columns.length)
      assert(texts(batch, columns) == rows.take(5).map(whole(_)).toSeq)
      assert(batch.column(0).hasNull && batch.column(0).numNulls == 1)
      val some = SelectedBatch.of(reader.get, Array(1, 2), 2, 3)
      assert(some.numCols == 3 && !some.column(0).hasNull && some.column(0).numNulls == 0)
      assert(texts(some, StructType(columns.take(3))) == Seq(1, 2).map(whole(_).take(3)))
      some.close()
      assert(texts(batch, columns).head == names.map(_ => "null")) // the views have closed nothing
      reader.close()
    }
    check(ofAvro(avro, columns))
    check(ofParquet(parquet, columns))
  }

  test("removal of rows of a batch: every type, with dictionaries and without") {
    Seq(ofAvro(avro, columns), ofAvro(avro, columns, offHeap = true), ofParquet(parquet, columns))
      .foreach { reader =>
        assert(reader.next())
        val whole = texts(reader.get, columns)
        val left = RowRemoval.from(reader.get, Array(0, 2), 2, columns.length)
        assert(texts(left, columns) == Seq(3, 1).map(whole(_)))
        reader.close()
      }
  }

  test("a changed type is converted as in a base file") {
    val changed = ddl(
      "i STRING, l DOUBLE, f DOUBLE, dt STRING, d5 DECIMAL(9,4), d12 STRING, s DATE," +
        "d DECIMAL(10,3), y STRING, e BINARY, a ARRAY<BIGINT>, m MAP<STRING, STRING>," +
        "st STRUCT<x: FLOAT>, ast ARRAY<STRUCT<p: STRING>>"
    )
    val ofFile = texts(ofParquet(parquet, changed), changed)
    assert(ofFile.head == Seq(
      "-7",
      "1.704164645678901E15",
      "1.25",
      "1969-12-25",
      "-123.4500",
      "-12.345",
      "null",
      "1.250",
      "añ",
      "bytes 82 69 68",
      "[1, null, 3]",
      "{k: 5, n: null}",
      "{-7.0}",
      "[{1}, null, {3}]"
    ))
    assert(texts(ofAvro(avro, changed), changed) == ofFile)
    assert(column("\"float\"", "DOUBLE")(1.1f) == Seq("1.1"))
    assert(
      column("\"int\"", "DOUBLE")(7) == Seq("7.0") && column("\"int\"", "BIGINT")(7) == Seq("7")
    )
  }

  test("a type that cannot be read is refused with its column") {
    assert(
      refused("\"string\"", "INT") == Map("column" -> "c", "stored" -> "string", "type" -> "int")
    )
    assert(refused("""["null","int","string"]""", "STRING") == Map("column" -> "c",
      "stored" -> "union of null and int and string", "type" -> "string"))
    assert(refused("\"boolean\"", "STRING")("stored") == "boolean")
    assert(refused("""{"type":"array","items":"double"}""", "ARRAY<INT>")("column") == "c.element")
    assert(
      refused("""{"type":"map","values":"string"}""", "MAP<STRING, INT>")("column") == "c.value"
    )
    assert(refused("""{"type":"record","name":"r","fields":[{"name":"q","type":"bytes"}]}""",
      "STRUCT<q: INT>")("column") == "c.q")
    val micros = """{"type":"long","logicalType":"time-micros"}"""
    assert(refused(micros, "BIGINT")("stored") == "long (time-micros)")
    assert(refused("""{"type":"long","logicalType":"timestamp-millis"}""", "STRING")("stored") ==
      "long (timestamp-millis)")
    assert(refused("\"int\"", "STRUCT<a: INT>")("type") == "struct<a:int>")
  }

  test("a field without null, null as second branch, and a uuid are read") {
    assert(column("\"int\"", "INT")(1, 2) == Seq("1", "2"))
    assert(column("""["int","null"]""", "INT")(1, None.orNull) == Seq("1", "null"))
    assert(column("""{"type":"string","logicalType":"uuid"}""", "STRING")("u") == Seq("u"))
  }

  test("a decimal in bytes has any number of them, but not none") {
    def read(digits: Int)(bytes: Int*) = column(
      s"""{"type":"bytes","logicalType":"decimal","precision":$digits,"scale":2}""",
      s"DECIMAL($digits,2)"
    )(ByteBuffer.wrap(bytes.map(_.toByte).toArray))
    Seq(5, 12, 30).foreach { digits =>
      assert(read(digits)(0x38) == Seq("0.56") && read(digits)(-1, 0x38) == Seq("-2.00"))
      assert(read(digits)(0, 0, 0, 0, 0, 0, 0, 0, 1) == Seq("0.01"))
      assert(corrupt(read(digits)()) == "a decimal has no bytes")
    }
  }

  test("an array in several parts is one array") {
    val schema = schemaOf("c" -> """{"type":"array","items":"int"}""")
    val datum = Array[Byte](2, 10, 3, 4, 12, 14, 0) // [5], then two elements in two bytes: 6, 7
    val content = ByteBuffer.allocate(12 + datum.length).putInt(3).putInt(1).putInt(datum.length)
    val columns = ddl("c ARRAY<INT>")
    assert(
      texts(ofAvro(content.put(datum).array, columns, schema), columns) == Seq(Seq("[5, 6, 7]"))
    )
  }

  test("blocks of each version that stock Hudi wrote are read; others are refused") {
    val schema = schemaOf("c" -> "\"int\"")
    val columns = ddl("c INT")
    def read(version: Int) =
      texts(ofAvro(avro(schema, version)(record(schema)("c" -> 4)), columns, schema), columns)
    (1 to 3).foreach(version => assert(read(version) == Seq(Seq("4"))))
    assert(corrupt(read(4)) == "an Avro block has the unknown version 4")
    assert(corrupt(read(0)) == "an Avro block has the unknown version 0")
  }

  test("a damaged Avro block is an error that names the file") {
    def read(content: Array[Byte], of: String = schema) =
      texts(ofAvro(content, columns, of), columns)
    (0 until avro.length by 7).foreach(end => corrupt(read(avro.take(end))))
    assert(corrupt(read(avro, "{")).nonEmpty)
    assert(corrupt(read(avro, "\"int\"")) == "the schema of an Avro block is not a record")
    val many = avro.clone()
    many(4) = 127
    assert(corrupt(read(many)).startsWith("an Avro block cannot contain 21"))
    val text = schemaOf("c" -> "\"string\"")
    val long = avro(text)(record(text)("c" -> "ab"))
    long(12) = 126
    assert(corrupt(texts(ofAvro(long, ddl("c STRING"), text), ddl("c STRING"))) ==
      "a value has 63 bytes, its record has 3")
  }

  test("a damaged Parquet block is an error that names the file; one without rows has no batch") {
    corrupt(texts(ofParquet(parquet.dropRight(1), columns), columns))
    corrupt(texts(ofParquet(Array.emptyByteArray, columns), columns))
    val empty = LogBlocks.parquet("message t { optional int32 i; }")()
    assert(texts(ofParquet(empty, columns), columns).isEmpty)
    assert(texts(ofAvro(avro(schema)(), columns), columns).isEmpty)
    val error = intercept[HudiliteException](texts(ofParquet(parquet, ddl("s INT")), ddl("s INT")))
    assert(error.condition == "HUDILITE_COLUMN_TYPE_MISMATCH")
    assert(error.parameters("path") == path.toString && error.parameters("column") == "s")
  }
}
