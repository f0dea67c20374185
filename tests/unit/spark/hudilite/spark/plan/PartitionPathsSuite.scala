package hudilite.spark.plan

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  Expression,
  Literal,
  UnsafeProjection
}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.format.PartitionPath

class PartitionPathsSuite extends AnyFunSuite {
  private val seed = Random.nextLong()
  private val fields = Seq("a", "b")

  private def encoded(values: Seq[String]): String =
    PartitionPath.encode(fields, values, hiveStyle = true, urlEncode = true)

  private def paths =
    new PartitionPaths(fields, hiveStyle = true, urlEncode = true, dates = Nil)

  private def array(values: Seq[String]): Array[UTF8String] =
    values.map(value => Option(value).map(UTF8String.fromString).orNull).toArray

  test(s"a path is that of its values, in runs and mixed, of few partitions and of many ($seed)") {
    val random = new Random(seed)
    for (partitions <- Seq(1, 3, 5000); run <- Seq(1, 7)) {
      val of = paths
      (0 until 20000 / run).foreach { _ =>
        def value = random.nextInt(math.max(2, partitions / 50)) match {
          case 0 => Option.empty[String].orNull
          case 1 => ""
          case n => s"$n:é"
        }
        val values = Seq(value, value)
        (0 until run).foreach(_ => assert(of.of(array(values)).toString == encoded(values)))
      }
    }
  }

  test("a path does not depend on what becomes of the values it was built from") {
    val of = paths
    val bytes = "x1".getBytes
    val values = Array(UTF8String.fromBytes(bytes), UTF8String.fromString("y"))
    assert(of.of(values).toString == "a=x1/b=y")
    bytes(1) = '2'
    assert(of.of(values).toString == "a=x2/b=y")
    values(1) = UTF8String.fromString("z")
    assert(of.of(values).toString == "a=x2/b=z")
    bytes(1) = '1'
    values(1) = UTF8String.fromString("y")
    assert(of.of(values).toString == "a=x1/b=y")
  }

  test("values that share the parts of a path differently have different paths") {
    val of = paths
    val found = Seq(Seq("xy", "z"), Seq("x", "yz"), Seq("", "xyz"), Seq("xyz", ""), Seq("z", "xy"))
    assert(found.map(values => of.of(array(values)).toString) == found.map(encoded))
  }

  test("a value without a path is refused each time it comes") {
    val of = paths
    (0 until 3).foreach { _ =>
      val e = intercept[HudiliteException](of.of(array(Seq("x", PartitionPath.DefaultValue))))
      assert(e.condition == "HUDILITE_PARTITION_VALUE_INVALID")
      assert(of.of(array(Seq("x", "y"))).toString == "a=x/b=y")
    }
  }

  test("a path of constants is a constant, which no exchange hashes") {
    def path(values: Seq[Expression]) =
      PartitionPathOf(values, fields, hiveStyle = true, urlEncode = true, dates = Nil)
    val column = BoundReference(0, StringType, nullable = true)
    assert(path(Seq(Literal("x"), Literal("y"))).foldable)
    assert(!path(Seq(Literal("x"), column)).foldable)
  }

  test("two projections of one expression, and its interpreted form, have their own rows") {
    val columns = fields.indices.map(BoundReference(_, StringType, nullable = true): Expression)
    val path = PartitionPathOf(columns, fields, hiveStyle = true, urlEncode = true, dates = Nil)
    val (first, second) = (UnsafeProjection.create(Seq(path)), UnsafeProjection.create(Seq(path)))
    Seq(Seq("x", null), Seq("y", "x"), Seq("y", "x"), Seq("", ""), Seq("x", "y")).foreach {
      values =>
        val row = InternalRow.fromSeq(array(values).toSeq)
        val other = InternalRow.fromSeq(array(values.reverse).toSeq)
        assert(first(row).getUTF8String(0).toString == encoded(values))
        assert(second(other).getUTF8String(0).toString == encoded(values.reverse))
        assert(path.eval(row).toString == encoded(values))
    }
  }
}
