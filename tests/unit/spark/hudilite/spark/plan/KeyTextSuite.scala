package hudilite.spark.plan

import java.time.{Instant, LocalDate, LocalDateTime}
import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.format.TableConfig.Key
import hudilite.format.{DateFolder, DateFolderFacts, TableConfig}

class KeyTextSuite extends AnyFunSuite {

  /** What stock Hudi 1.2 stored in `_hoodie_record_key` for these values. */
  private val stock = Seq(
    Literal.create(BigDecimal("12345678901234567.5"), DecimalType(30, 12)) ->
      "12345678901234567.500000000000",
    Literal.create(BigDecimal("0"), DecimalType(30, 12)) -> "0E-12",
    Literal.create(BigDecimal("0.000000000001"), DecimalType(30, 12)) -> "1E-12",
    Literal.create(BigDecimal("-0.000000123"), DecimalType(30, 12)) -> "-1.23000E-7",
    Literal.create(BigDecimal("0.0000001"), DecimalType(30, 12)) -> "1.00000E-7",
    Literal.create(BigDecimal("2"), DecimalType(10, 2)) -> "2.00",
    Literal.create(BigDecimal("-3.25"), DecimalType(10, 2)) -> "-3.25",
    Literal.create(LocalDate.of(2024, 1, 2), DateType) -> "2024-01-02",
    Literal.create(LocalDate.of(1, 1, 2), DateType) -> "0001-01-02",
    Literal.create(LocalDate.of(50, 1, 2), DateType) -> "0050-01-02",
    Literal.create(LocalDate.of(1500, 1, 2), DateType) -> "1500-01-02",
    Literal.create(LocalDate.of(9999, 1, 2), DateType) -> "9999-01-02",
    Literal.create(LocalDate.of(10000, 1, 1), DateType) -> "+10000-01-01",
    Literal.create(LocalDate.of(-44, 3, 15), DateType) -> "-0044-03-15",
    Literal(Instant.parse("2024-01-02T03:04:05.678901Z")) -> "1704164645678901",
    Literal(Instant.parse("1960-01-01T00:00:00.000001Z")) -> "-315619199999999",
    Literal(LocalDateTime.parse("2024-01-02T03:04:05.678901")) -> "1704164645678901",
    Literal(Array[Byte](0, -1, 0x41)) -> "00ff41",
    Literal(true) -> "true",
    Literal(Byte.MinValue) -> "-128",
    Literal(Short.MaxValue) -> "32767",
    Literal(Int.MinValue) -> "-2147483648",
    Literal(Long.MaxValue) -> "9223372036854775807",
    Literal("k:3,x") -> "k:3,x",
    Literal("") -> ""
  )

  test("a value has the text that stock Hudi stores, interpreted and compiled") {
    stock.foreach { case (value, stored) => assert(text(value) == Seq(stored, stored)) }
  }

  test("a null value has no text") {
    Seq(StringType, IntegerType, DateType, BooleanType, DecimalType(10, 2)).foreach { dataType =>
      assert(text(Literal(null, dataType)) == Seq(null, null))
    }
  }

  test("a complex key joins fields and values and puts a placeholder for an empty string") {
    val values = Seq(
      Literal.create(BigDecimal("0.0000000001"), DecimalType(20, 10)),
      Literal.create(LocalDate.of(12000, 1, 1), DateType),
      Literal(""),
      Literal(true)
    )
    val key = KeyText.complexKey(Seq("d", "e", "x", "b"), _)
    assert(texts(key, values: _*) == Seq.fill(2)("d:1E-10,e:+12000-01-01,x:__empty__,b:true"))
    assert(texts(key, values.updated(3, Literal(null, BooleanType)): _*) == Seq(null, null))
  }

  test("a bucket is that of the key text, and none for a null key") {
    val bucket = (key: Expression) => KeyText.bucket(KeyText.expression(key), Seq("id"), 16)
    assert(results(e => bucket(e.head), IntegerType, Literal("你好")) == Seq(12, 12))
    assert(results(e => bucket(e.head), IntegerType, Literal(100)) == Seq(0, 0))
    assert(results(e => bucket(e.head), IntegerType, Literal(null, StringType)) == Seq(null, null))
  }

  private def table(partitions: String, facts: (String, String)*): TableConfig =
    TableConfig(Map(Key.partitionFields -> partitions, Key.recordKeyFields -> "id") ++ facts)

  private def path(config: TableConfig): Seq[Expression] => Expression =
    KeyText.partitionPath(config, _: Seq[Expression])

  private val styled = Seq(Key.hiveStyle -> "true", Key.urlEncode -> "true")

  test("a partition path is never null and escapes as the table says") {
    val named = path(table("a,b", styled: _*))
    assert(texts(named, Literal("1 x=:%é"), Literal(7)) == Seq.fill(2)("a=1 x%3D%3A%25é/b=7"))
    val nothing = "a=__HIVE_DEFAULT_PARTITION__/b=__HIVE_DEFAULT_PARTITION__"
    assert(texts(named, Literal(null, DateType), Literal("")) == Seq(nothing, nothing))
    val plain = path(table("a"))
    assert(texts(plain, Literal("x y")) == Seq("x y", "x y"))
    assert(KeyText.partitionPath(table(""), Nil) == Literal(""))
  }

  test("a folder is a date of the value, whatever its type") {
    def dated(facts: (String, String)*) = table("a:SIMPLE,t:TIMESTAMP",
      facts ++ Seq(Key.keyGeneratorType -> "CUSTOM", DateFolderFacts.output -> "yyyy/MM/dd",
        DateFolderFacts.zone -> "UTC"): _*)
    val days = dated(DateFolderFacts.kind -> "SCALAR", DateFolderFacts.unit -> "DAYS")
    val named = path(days)
    Seq(
      Literal(19737),
      Literal(19737L),
      Literal(19737.toShort),
      Literal(19737.9d),
      Literal(19737.5f),
      Literal.create(BigDecimal("19737.99"), DecimalType(10, 2)),
      Literal.create(LocalDate.of(2024, 1, 15), DateType)
    ).foreach(day => assert(texts(named, Literal("x"), day) == Seq.fill(2)("x/2024/01/15"), day))
    assert(texts(named, Literal("x"), Literal(null, LongType)) == Seq.fill(2)("x/1970/01/02"))
    val micros = path(dated(DateFolderFacts.kind -> "EPOCHMICROSECONDS"))
    val time = Literal.create(Instant.parse("2024-01-15T03:04:05.678901Z"), TimestampType)
    assert(texts(micros, Literal("x"), time) == Seq.fill(2)("x/2024/01/15"))
    val formats = Seq(DateFolderFacts.kind -> "DATE_STRING", DateFolderFacts.input -> "yyyyMMdd")
    val escaped = path(dated(formats ++ styled: _*))
    assert(texts(escaped, Literal("x/y"), Literal("20240115")) ==
      Seq.fill(2)("a=x%2Fy/t=2024%2F01%2F15"))
    val refused =
      intercept[HudiliteException](texts(named, Literal("x/y"), Literal(19737)))
    assert(refused.condition == "HUDILITE_PARTITION_VALUE_INVALID")
  }

  test("a date follows from a type of the rule only") {
    val rule = DateFolder(Some(TimeUnit.MILLISECONDS), Nil, None, Some("UTC"), "yyyy", false)
    def isRight(rule: DateFolder, of: DataType) = DateFolderOf.whyNot(rule, of).isEmpty
    assert(isRight(rule, LongType) && isRight(rule, DoubleType) && isRight(rule, DateType))
    Seq(StringType, BooleanType, BinaryType, TimestampType, TimestampNTZType, ArrayType(LongType))
      .foreach(of => assert(!isRight(rule, of), of))
    assert(isRight(rule.copy(isTimestampOfMillis = true), TimestampType))
    assert(isRight(rule.copy(unit = Some(TimeUnit.MICROSECONDS)), TimestampType))
    val texts = rule.copy(unit = None, inputs = Seq("yyyy"))
    assert(isRight(texts, StringType) && !isRight(texts, LongType) && !isRight(texts, DateType))
  }

  test("a type without an exact text is refused by name") {
    Seq(DoubleType, FloatType, ArrayType(IntegerType), StringType("UTF8_LCASE")).foreach {
      dataType =>
        val error = intercept[HudiliteException] {
          KeyText.expression(BoundReference(0, dataType, nullable = true))
        }
        assert(error.condition == "HUDILITE_UNSUPPORTED_TYPE")
    }
  }

  private def texts(make: Seq[Expression] => Expression, values: Literal*): Seq[String] =
    results(make, StringType, values: _*).map(text => Option(text).map(_.toString).orNull)

  private def text(value: Literal): Seq[String] =
    texts(values => KeyText.expression(values.head), value)

  /** The interpreted and the compiled result over a row of the values. */
  private def results(
      make: Seq[Expression] => Expression,
      dataType: DataType,
      values: Literal*
  ): Seq[Any] = {
    val row = InternalRow.fromSeq(values.map(_.value))
    val expression = make(values.zipWithIndex.map { case (value, i) =>
      BoundReference(i, value.dataType, nullable = true)
    })
    val compiled = UnsafeProjection.create(Seq(expression))(row)
    Seq(expression.eval(row), compiled.copy().get(0, dataType)).map {
      case text: UTF8String => text.toString
      case other => other
    }
  }
}
