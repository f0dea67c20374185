package hudilite.spark.read

import java.time.LocalDate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.TableConfig

class PartitionPruningSuite extends AnyFunSuite {
  private val schema = StructType.fromDDL("id INT, p STRING, d DATE, n INT, t TIMESTAMP, v INT")
  private def column(name: String) = AttributeReference(name, schema(name).dataType)()

  private def config(fields: String*) = TableConfig(
    Map(
      "hoodie.table.recordkey.fields" -> "id",
      "hoodie.table.partition.fields" -> fields.mkString(",")
    )
  )

  private def keeps(fields: Seq[String], filter: Expression)(values: Option[String]*): Boolean =
    PartitionPruning.keep(config(fields: _*), schema, Seq(filter)).forall(_(values))

  test("a value in the path is compared as its column's type") {
    val nAfterNine = keeps(Seq("n"), GreaterThan(column("n"), Literal(9))) _
    assert(nAfterNine(Seq(Some("10"))))
    assert(!nAfterNine(Seq(Some("9"))))
    val inMay = keeps(Seq("d"), EqualTo(Month(column("d")), Literal(5))) _
    assert(inMay(Seq(Some("2024-05-01"))))
    assert(!inMay(Seq(Some("2024-06-01"))))
    val day = Literal.create(LocalDate.of(2024, 6, 1), DateType)
    assert(!keeps(Seq("d"), EqualTo(column("d"), day))(Some("2024-05-01")))
  }

  test("Hudi's default partition may hold null, the empty string and its own name") {
    val p = column("p")
    def inDefault(filter: Expression) = keeps(Seq("p"), filter)(None)
    assert(inDefault(EqualTo(p, Literal(""))))
    assert(inDefault(IsNull(p)))
    assert(inDefault(IsNotNull(p)))
    assert(inDefault(Not(EqualTo(p, Literal("x")))))
    assert(inDefault(EqualTo(p, Literal("__HIVE_DEFAULT_PARTITION__"))))
    assert(!inDefault(EqualTo(p, Literal("x"))))
    assert(keeps(Seq("n"), IsNull(column("n")))(None))
    assert(!keeps(Seq("n"), IsNotNull(column("n")))(None))
    assert(!keeps(Seq("p"), IsNull(p))(Some("x")))
  }

  test("a text that is not what Hudi writes for the type is kept") {
    assert(keeps(Seq("n"), EqualTo(column("n"), Literal(1)))(Some("abc")))
    assert(keeps(Seq("n"), EqualTo(column("n"), Literal(2)))(Some("01")))
    assert(keeps(Seq("d"), IsNull(column("d")))(Some("2024-05")))
  }

  test("the values of the first columns alone rule out what no other value can save") {
    val n = column("n")
    val p = column("p")
    val both = And(EqualTo(n, Literal(1)), EqualTo(p, Literal("x")))
    assert(!keeps(Seq("n", "p"), both)(Some("2")))
    assert(keeps(Seq("n", "p"), both)(Some("1")))
    assert(!keeps(Seq("n", "p"), both)(Some("1"), Some("y")))
    val either = Or(EqualTo(n, Literal(1)), EqualTo(p, Literal("x")))
    assert(keeps(Seq("n", "p"), either)(Some("2")))
    assert(keeps(Seq("n", "p"), EqualTo(p, Literal("x")))(Some("2")))
    val decide = PartitionPruning.decide(config("n", "p"), schema, both).get
    assert(decide(Seq(Some("1"))).isEmpty)
    assert(decide(Seq(Some("1"), Some("x"))).contains(true))
  }

  test("folder names keep the partitions that have them, and what may lie above these") {
    val config = this.config("n", "p")
    val keep = PartitionPruning.ofFolders(config, Seq(Map(1 -> "x"), Map(0 -> "7")))
    assert(keep(Seq(Some("1"))) && keep(Seq(Some("7"))))
    assert(keep(Seq(Some("1"), Some("x"))) && !keep(Seq(Some("1"), Some("y"))))
    assert(keep(Seq(Some("7"), None)))
    assert(PartitionPruning.ofFolders(config, Seq(Map.empty))(Seq(Some("1"), None)))
  }

  test("a type without an exact text is kept") {
    assert(keeps(Seq("t"), IsNull(column("t")))(Some("1704164645678901")))
  }

  test("only what a filter says of partition columns is asked") {
    val one = And(EqualTo(column("n"), Literal(1)), EqualTo(column("v"), Literal(7)))
    val two = And(EqualTo(column("n"), Literal(2)), EqualTo(column("v"), Literal(8)))
    val either = keeps(Seq("n", "p"), Or(one, two)) _
    assert(either(Seq(Some("1"), None)))
    assert(!either(Seq(Some("3"), None)))
    val other = EqualTo(column("v"), Literal(7))
    assert(PartitionPruning.keep(config("n"), schema, Seq(other)).isEmpty)
  }

  test("a column whose folders have other texts than its values prunes nothing") {
    val isOne = EqualTo(column("n"), Literal(1))
    val isA = EqualTo(column("p"), Literal("a"))
    def under(generator: String, fields: String*) = TableConfig(
      config(fields: _*).properties + ("hoodie.table.keygenerator.type" -> generator)
    )
    Seq("TIMESTAMP", "USER_PROVIDED").foreach { generator =>
      assert(PartitionPruning.keep(under(generator, "n"), schema, Seq(isOne)).isEmpty)
      assert(PartitionPruning.decide(under(generator, "n"), schema, isOne).isEmpty)
    }
    val custom = under("CUSTOM", "p:SIMPLE", "n:TIMESTAMP")
    val keep = PartitionPruning.keep(custom, schema, Seq(isOne, isA)).get
    assert(keep(Seq(Some("a"), Some("2024"))) && !keep(Seq(Some("b"), Some("2024"))))
    assert(PartitionPruning.decide(custom, schema, isOne).isEmpty)
    assert(PartitionPruning.decide(custom, schema, isA).nonEmpty)
  }

  test("a filter that fails on a value or is not deterministic keeps the partition") {
    val divided = EqualTo(IntegralDivide(Literal(1L), Cast(column("n"), LongType)), Literal(1L))
    assert(keeps(Seq("n"), divided)(Some("0")))
    val random = GreaterThan(Rand(Literal(1L)), Cast(column("n"), DoubleType))
    assert(PartitionPruning.keep(config("n"), schema, Seq(random)).isEmpty)
  }
}
