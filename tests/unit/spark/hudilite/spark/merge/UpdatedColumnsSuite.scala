package hudilite.spark.merge

import org.apache.spark.sql.catalyst.expressions.{Add, Attribute, AttributeReference, Expression}
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, StringType}
import org.scalatest.funsuite.AnyFunSuite

import hudilite.spark.plan.{Clause, DeleteClause, MergeSpec, UpdateClause}

class UpdatedColumnsSuite extends AnyFunSuite {

  private def column(name: String, dataType: DataType) = AttributeReference(name, dataType)()

  private val (k, a, b) = (column("k", StringType), column("a", LongType), column("b", LongType))
  private val (sk, sa, sb) = (column("k", StringType), column("a", LongType), column("b", LongType))
  private val narrow = column("n", IntegerType)
  private val source = Seq(column("partition_path", StringType), sb, sk, sa, narrow)

  private def set(values: Expression*) = UpdateClause(None, values)

  private def taken(from: Attribute*)(
      matched: Seq[Clause],
      bySource: Seq[Clause] = Nil,
      moves: Boolean = false
  ): Option[Seq[Int]] = {
    val spec = MergeSpec("UPSERT", Seq(k), Seq(sk), None, None, matched, Nil, bySource, moves,
      matchIsError = false)
    val target: Seq[Attribute] = Seq(k, a, b)
    UpdatedColumns.taken(spec, UpdatedColumns.of(spec, target, Nil), target, from)
  }

  test("values that each clause takes from the source as they are need no projection") {
    assert(taken(source: _*)(Seq(set(sk, sa, sb))) == Some(Seq(3, 1)))
    assert(taken(sk, sb)(Seq(DeleteClause(None), set(k, a, sb))) == Some(Seq(1)))
    assert(taken(sk, sa, sb)(Seq(set(k, sb, b), set(k, sb, b))) == Some(Seq(2)))
  }

  test("other values need one") {
    assert(taken(sk, sa, sb)(Seq(set(k, Add(sa, sb), b))) == None)
    assert(taken(sk, narrow)(Seq(set(k, narrow, b))) == None)
    assert(taken(sk, sb)(Seq(set(k, b, b))) == None)
    assert(taken(sk, sa, sb)(Seq(set(k, sa, b), set(k, a, sb))) == None)
    assert(taken(sk, sa)(Seq(set(k, sa, b)), bySource = Seq(set(k, a, a))) == None)
    assert(taken(sk, sa)(Seq(set(k, sa, b)), moves = true) == None)
  }

  test("a source row of which they are a small part is not held for them") {
    assert(taken(sk, sa, sb)(Seq(set(k, a, sb))) == Some(Seq(2)))
    assert(taken(sk, sa, sb, narrow)(Seq(set(k, a, sb))) == None)
  }
}
