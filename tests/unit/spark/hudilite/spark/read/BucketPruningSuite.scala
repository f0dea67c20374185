package hudilite.spark.read

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.RecordKey
import hudilite.index.BucketIndex

class BucketPruningSuite extends AnyFunSuite {
  private val schema = StructType.fromDDL("id STRING, day INT, name STRING, v DOUBLE")
  private val id = AttributeReference("id", StringType)()
  private val day = AttributeReference("day", IntegerType)()
  private val name = AttributeReference("name", StringType)()
  private val recordKey = AttributeReference("_hoodie_record_key", StringType)()
  private val n = 64

  private def plain = pruning(Seq("id"), Seq("id"))
  private def composite = pruning(Seq("id", "day"), Seq("id", "day"))

  private def pruning(keys: Seq[String], hashed: Seq[String]): BucketPruning =
    new BucketPruning(keys, keys.size > 1, hashed, n, schema)

  private def bucket(key: String, hashed: String*): Int = BucketIndex.bucketOfKey(key, hashed, n)

  test("equality, null-safe equality and IN on the key pin its buckets") {
    val one = Some(Set(bucket("a", "id")))
    assert(plain.buckets(Seq(EqualTo(id, Literal("a")))) == one)
    assert(plain.buckets(Seq(EqualTo(Literal("a"), id))) == one)
    assert(plain.buckets(Seq(EqualNullSafe(id, Literal("a")))) == one)
    val two = Some(Set(bucket("a", "id"), bucket("k:3,x", "id")))
    val values = Seq("a", "k:3,x")
    assert(plain.buckets(Seq(In(id, values.map(Literal(_)) :+ Literal(null, StringType)))) == two)
    assert(plain.buckets(Seq(InSet(id, values.map(UTF8String.fromString).toSet))) == two)
    assert(plain.buckets(Seq(Or(EqualTo(id, Literal("a")), EqualTo(id, Literal("k:3,x"))))) == two)
  }

  test("a null literal matches no row by = and may match any by <=>") {
    assert(plain.buckets(Seq(EqualTo(id, Literal(null, StringType)))).contains(Set.empty))
    assert(plain.buckets(Seq(EqualNullSafe(id, Literal(null, StringType)))).isEmpty)
    assert(plain.buckets(Seq(IsNull(id))).isEmpty)
  }

  test("several predicates on one column narrow each other") {
    val in = In(id, Seq("a", "b", "c").map(Literal(_)))
    val found = plain.buckets(Seq(in, Or(EqualTo(id, Literal("b")), EqualTo(id, Literal("z")))))
    assert(found.contains(Set(bucket("b", "id"))))
  }

  test("all hash columns together pin a bucket, one alone does not") {
    val both = And(EqualTo(id, Literal("a")), In(day, Seq(Literal(1), Literal(2))))
    val expected = Set("id:a,day:1", "id:a,day:2").map(bucket(_, "id", "day"))
    assert(composite.buckets(Seq(both)).contains(expected))
    assert(composite.buckets(Seq(EqualTo(id, Literal("a")))).isEmpty)
    assert(composite.buckets(Seq(EqualTo(id, Literal("a")), GreaterThan(day, Literal(1)))).isEmpty)
  }

  test("a disjunction of pinned keys reads the buckets of all, unless one side is open") {
    def key(text: String, number: Int) =
      And(EqualTo(id, Literal(text)), EqualTo(day, Literal(number)))
    val expected = Set("id:a,day:1", "id:b,day:2").map(bucket(_, "id", "day"))
    assert(composite.buckets(Seq(Or(key("a", 1), key("b", 2)))).contains(expected))
    assert(composite.buckets(Seq(Or(key("a", 1), EqualTo(id, Literal("b"))))).isEmpty)
  }

  test("the record key itself pins its bucket") {
    val found = composite.buckets(Seq(EqualTo(recordKey, Literal("id:a,day:1"))))
    assert(found.contains(Set(bucket("id:a,day:1", "id", "day"))))
  }

  test("key columns outside the hash columns stay open only when their text cannot be parsed") {
    val byId = pruning(Seq("id", "day"), Seq("id"))
    val expected = Some(Set(bucket("id:x,day:y,day:5", "id")))
    assert(byId.buckets(Seq(EqualTo(id, Literal("x,day:y")))) == expected)
    val byName = pruning(Seq("id", "name"), Seq("name"))
    assert(byName.buckets(Seq(EqualTo(name, Literal("a")))).isEmpty)
    val pinned = Seq(EqualTo(name, Literal("a")), EqualTo(id, Literal("x,name:y")))
    assert(byName.buckets(pinned).contains(Set(bucket("id:x,name:y,name:a", "name"))))
  }

  test("other predicates and other types pin nothing") {
    val v = AttributeReference("v", DoubleType)()
    val collated = AttributeReference("id", StringType("UTF8_LCASE"))()
    assert(plain.buckets(Nil).isEmpty)
    assert(plain.buckets(Seq(EqualTo(v, Literal(1.0)))).isEmpty)
    assert(plain.buckets(Seq(Not(EqualTo(id, Literal("a"))))).isEmpty)
    assert(plain.buckets(Seq(EqualTo(Cast(id, IntegerType), Literal(1)))).isEmpty)
    assert(plain.buckets(Seq(EqualTo(collated, Literal.create("a", collated.dataType)))).isEmpty)
    assert(pruning(Seq("v"), Seq("v")).buckets(Seq(EqualTo(v, Literal(1.0)))).isEmpty)
  }

  test("more combinations than the limit pin nothing") {
    val days = In(day, (1 to BucketPruning.maxCombinations).map(Literal(_)))
    assert(composite.buckets(Seq(EqualTo(id, Literal("a")), days)).isDefined)
    assert(composite.buckets(Seq(In(id, Seq(Literal("a"), Literal("b"))), days)).isEmpty)
  }

  test("a row that passes random filters is never in a pruned bucket") {
    val seed = sys.env.get("HUDILITE_SEED").fold(System.nanoTime)(_.toLong)
    info(s"seed $seed")
    val random = new Random(seed)
    val texts = IndexedSeq("", "a", "b,c", "id:a,day:1", "x,name:y", "é:1,day:2", "__null__")
    def text = texts(random.nextInt(texts.size))
    def leaf: Expression = random.nextInt(5) match {
      case 0 => EqualTo(id, Literal(text))
      case 1 => In(name, Seq(Literal(text), Literal(text)))
      case 2 => EqualNullSafe(day, Literal(random.nextInt(3)))
      case 3 => EqualTo(name, Literal(text))
      case _ => In(day, Seq(Literal(random.nextInt(3)), Literal(random.nextInt(3))))
    }
    def tree(depth: Int): Expression =
      if (depth == 0) leaf
      else if (random.nextInt(3) == 0) Or(tree(depth - 1), tree(depth - 1))
      else And(tree(depth - 1), tree(depth - 1))
    val fields = Seq("id", "day", "name")
    (1 to 3000).foreach { _ =>
      val hashed = fields.filter(_ => random.nextBoolean())
      val hash = if (hashed.isEmpty) fields else hashed
      val filter = tree(random.nextInt(4))
      val found = pruning(fields, hash).buckets(Seq(filter))
      val row = Seq[Any](text, random.nextInt(3), text)
      val bound = BindReferences.bindReference(filter, Seq(id, day, name))
      if (
        bound.eval(InternalRow.fromSeq(row.map {
          case s: String => UTF8String.fromString(s)
          case other => other
        })) == true
      ) {
        val key = RecordKey.complex(fields, row.map(_.toString))
        val at = BucketIndex.bucketOfKey(key, hash, n)
        assert(found.forall(_.contains(at)), s"$filter $key $hash")
      }
    }
  }
}
