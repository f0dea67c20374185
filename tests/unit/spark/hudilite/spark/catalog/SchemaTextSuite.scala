package hudilite.spark.catalog

import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class SchemaTextSuite extends AnyFunSuite {

  private val scalars = new StructType()
    .add("id", LongType, nullable = false)
    .add("flag", BooleanType)
    .add("number", IntegerType)
    .add("ratio", FloatType)
    .add("score", DoubleType)
    .add("name", StringType)
    .add("bytes", BinaryType)
    .add("day", DateType)
    .add("at", TimestampType)
    .add("local", TimestampNTZType)
    .add("price", DecimalType(10, 2))

  test("columns are spelled as stock Hudi spells them") {
    val avro = SchemaText.toAvro(
      new StructType().add("id", IntegerType, nullable = false)
        .add("price", DecimalType(10, 2)),
      "my-table"
    )
    assert(avro == """{"type":"record","name":"my__table_record","namespace":"hoodie.my__table",""" +
      """"doc":"","fields":[{"name":"id","type":"int","doc":""},{"name":"price","type":["null",""" +
      """{"type":"fixed","name":"fixed","namespace":"hoodie.my__table.my__table_record.price",""" +
      """"doc":"","size":5,"logicalType":"decimal","precision":10,"scale":2}],"doc":"",""" +
      """"default":null}]}""")
  }

  test("every scalar type comes back") {
    assert(SchemaText.fromAvro(SchemaText.toAvro(scalars, "t")) == scalars)
  }

  test("nested types come back") {
    val inner = new StructType().add("a", DecimalType(38, 10)).add("b", ArrayType(DateType))
    val schema = new StructType()
      .add("list", ArrayType(inner, containsNull = false))
      .add("map", MapType(StringType, inner))
      .add("struct", new StructType().add("a", DecimalType(3, 1)).add("inner", inner))
    assert(SchemaText.fromAvro(SchemaText.toAvro(schema, "t")) == schema)
  }

  test("a record whose name another column has, too, gets a name of its own when it changes") {
    def place(field: String) =
      s"""{"name":"$field","type":["null","Address"],"default":null}"""
    val json = """{"type":"record","name":"r","namespace":"n","fields":[{"name":"from","type":""" +
      """{"type":"record","name":"Address","fields":[{"name":"a","type":"int"}]}},""" +
      s"${place("to")},${place("other")}]}"
    val address = new StructType().add("a", IntegerType, nullable = false)
    val longer = address.add("b", StringType)
    val changed = SchemaText.changed(
      json,
      Seq(Right(StructField("from", longer, nullable = false)), Left("to"), Left("other"))
    )
    assert(SchemaText.fromAvro(changed) == new StructType()
      .add("from", longer, nullable = false).add("to", address).add("other", address))
  }

  test("small integers and limited texts come back as Avro has them") {
    val schema = new StructType().add("a", ByteType).add("b", ShortType).add("c", VarcharType(3))
    val back = SchemaText.fromAvro(SchemaText.toAvro(schema, "t"))
    assert(back.map(_.dataType) == Seq(IntegerType, IntegerType, StringType))
  }

  test("a decimal takes the fewest bytes that hold it") {
    val sizes = Seq(1 -> 1, 2 -> 1, 3 -> 2, 9 -> 4, 10 -> 5, 18 -> 8, 19 -> 9, 38 -> 16)
    sizes.foreach { case (precision, size) =>
      val avro = SchemaText.toAvro(new StructType().add("d", DecimalType(precision, 0)), "t")
      assert(avro.contains(s""""size":$size,"""), precision)
    }
  }

  test("a changed column keeps the fields that mean the same, as another writer has spelled them") {
    val millis = """{"type":"long","logicalType":"timestamp-millis"}"""
    val json =
      """{"type":"record","name":"r","namespace":"of.stock","fields":[{"name":"s","type":""" +
        s"""["null",{"type":"record","name":"own","namespace":"n","fields":[{"name":"at","type":$millis},""" +
        """{"name":"word","type":"string"}]}],"default":null}]}"""
    val grown = new StructType()
      .add("n", IntegerType)
      .add("word", StringType)
      .add("at", TimestampType, nullable = false)
    val changed = SchemaText.changed(json, Seq(Right(StructField("s", grown))))
    assert(SchemaText.fromAvro(changed) == new StructType().add("s", grown))
    assert(changed.contains(millis))
    assert(changed.contains(""""name":"own","namespace":"n""""))
    val required = s"""{"type":"record","name":"r","fields":[{"name":"at","type":$millis}]}"""
    val widened = SchemaText.changed(required, Seq(Right(StructField("at", TimestampType))))
    assert(widened.contains(s"""["null",$millis]"""))
    val list = SchemaText.toAvro(new StructType().add("l", ArrayType(grown), nullable = false), "t")
    val nullable = StructField("l", ArrayType(grown.add("m", MapType(StringType, grown))))
    val next = SchemaText.changed(list, Seq(Right(nullable)))
    assert(SchemaText.fromAvro(next) == StructType(Seq(nullable)))
  }
}
