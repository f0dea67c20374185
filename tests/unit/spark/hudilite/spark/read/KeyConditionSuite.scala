package hudilite.spark.read

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.TableConfig

/** Which filters name one record key. */
class KeyConditionSuite extends AnyFunSuite {
  private val schema = StructType.fromDDL("id BIGINT, k STRING, d DOUBLE, v INT")
  private val id = AttributeReference("id", LongType)()
  private val k = AttributeReference("k", StringType)()
  private val d = AttributeReference("d", DoubleType)()
  private val v = AttributeReference("v", IntegerType)()

  private def of(keys: String*)(filters: Expression*): Option[KeyCondition] =
    KeyCondition.of(
      TableConfig(Map("hoodie.table.recordkey.fields" -> keys.mkString(","))),
      schema,
      filters
    )

  test("each key column has a value") {
    val both = of("id", "k")(EqualTo(k, Literal("a")), EqualTo(Literal(5L), id), IsNotNull(v))
    assert(both.exists(_.values == Seq[Any](5L, UTF8String.fromString("a"))))
    assert(of("id", "k")(EqualTo(k, Literal("a"))).isEmpty)
    assert(of("id")(EqualTo(id, Literal(null, LongType))).isEmpty)
    assert(of("id")(EqualTo(id, v), GreaterThan(id, Literal(5L))).isEmpty)
    assert(of("id")(In(id, Seq(Literal(5L)))).isEmpty)
    assert(of("d")(EqualTo(d, Literal(5.0))).isEmpty, "0.0 equals -0.0")
  }

  test("only what the values say is decided") {
    val key = of("id")(EqualTo(id, Literal(5L)), GreaterThan(v, Literal(1))).get
    assert(key.decides(EqualTo(id, Literal(5L))) && key.decides(IsNotNull(id)))
    assert(!key.decides(EqualTo(id, Literal(6L))) && !key.decides(IsNotNull(v)))
    assert(!key.decides(EqualTo(k, Literal(5L))))
    assert(!key.decides(Or(EqualTo(id, Literal(5L)), EqualTo(id, Literal(6L)))))
  }

  test("key columns that are not asked for are read behind those that are") {
    val key = of("id", "k")(EqualTo(id, Literal(5L)), EqualTo(k, Literal("a"))).get
    assert(key.added(StructType.fromDDL("v INT, k STRING")).fieldNames.toSeq == Seq("v", "k", "id"))
  }
}
