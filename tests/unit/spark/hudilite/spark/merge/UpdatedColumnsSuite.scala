package hudilite.spark.merge

import org.apache.spark.sql.catalyst.expressions.{Add, Attribute, AttributeReference, Expression}
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, StringType}
import org.scalatest.funsuite.AnyFunSuite

import hudilite.spark.locate.TaggedRow
import hudilite.spark.plan.{Clause, DeleteClause, MergeSpec, UpdateClause}

class UpdatedColumnsSuite extends AnyFunSuite {

  private def column(name: String, dataType: DataType) = AttributeReference(name, dataType)()

  private val (k, a, b) = (column("k", StringType), column("a", LongType), column("b", LongType))
  private val (sk, sa, sb) = (column("k", StringType), column("a", LongType), column("b", LongType))
  private val narrow = column("n", IntegerType)
  private val text = column("doc", StringType)

  private def set(values: Expression*) = UpdateClause(None, values)

  private def taken(from: Attribute*)(
      matched: Seq[Clause],
      bySource: Seq[Clause] = Nil,
      moves: Boolean = false
  ): Option[Seq[Int]] = {
    val spec = MergeSpec("UPSERT", Seq(k), Seq(sk), None, None, matched, Nil, bySource, moves,
      matchIsError = false)
    val target: Seq[Attribute] = Seq(k, a, b)
    val columns = TaggedRow.columns ++ from
    UpdatedColumns.taken(spec, UpdatedColumns.of(spec, target, Nil), target, columns)
  }

  test("values that each clause takes from the source as they are need no projection") {
    assert(taken(sb, sa)(Seq(set(sk, sa, sb))) == Some(Seq(5, 4)))
    assert(taken(sk, sa)(Seq(DeleteClause(None), set(k, sa, sa))) == Some(Seq(5, 5)))
  }

  test("other values need one") {
    assert(taken(sa, sb)(Seq(set(k, Add(sa, sb), sb))) == None)
    assert(taken(narrow, sb)(Seq(set(k, narrow, sb))) == None)
    assert(taken(sa, sb)(Seq(set(k, b, sb))) == None)
    assert(taken(sa, sb)(Seq(set(k, sa, sb), set(k, sb, sb))) == None)
    assert(taken(sa, sb)(Seq(set(k, sa, sb)), bySource = Seq(set(k, a, a))) == None)
    assert(taken(sa, sb)(Seq(set(k, sa, sb)), moves = true) == None)
  }

  test("a source row of which they are a small part is not held for them") {
    assert(taken(sa, sb)(Seq(set(k, sa, sb))) == Some(Seq(4, 5)))
    assert(taken(sa, sb, narrow)(Seq(set(k, sa, sb))) == None)
  }

  test("nor is one with texts that are not assigned, but for the key") {
    assert(taken(sa, sk)(Seq(set(k, sa, sa))) == Some(Seq(4, 4)))
    assert(taken(sa, text)(Seq(set(k, sa, sa))) == None)
  }
}
