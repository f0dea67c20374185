package hudilite.spark.merge

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.{IntegerType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.spark.plan.MetaColumns
import hudilite.spark.read.ChangedRows

class SampledRowSuite extends AnyFunSuite {
  private val schema = new StructType().add("id", IntegerType).add("v", StringType)

  private def row(kind: String, key: String, partition: String = "") =
    SampledRow(kind, partition, key, Array.emptyByteArray)

  private def keys(rows: Seq[SampledRow]) = rows.map(of => (of.kind, of.key))

  test("of each kind the rows with the least keys are shown, an old row before its new one") {
    val rows = Seq("c", "a", "b").flatMap { key =>
      Seq(row(ChangedRows.After, key), row(ChangedRows.Before, key),
        row(ChangedRows.Insert, s"z$key"))
    }
    assert(
      keys(SampledRow.first(rows, 2)) == Seq(
        (ChangedRows.Before, "a"),
        (ChangedRows.After, "a"),
        (ChangedRows.Before, "b"),
        (ChangedRows.After, "b"),
        (ChangedRows.Insert, "za"),
        (ChangedRows.Insert, "zb")
      )
    )
  }

  test("rows of one key in two partitions are ordered by partition") {
    val rows = Seq(row(ChangedRows.Delete, "k", "b"), row(ChangedRows.Delete, "k", "a"))
    assert(SampledRow.first(rows, 1).map(_.partition) == Seq("a"))
  }

  test("a sample has the table's columns, and at most so many rows of each kind") {
    var done = Seq.empty[SampledRow]
    val sample = new GroupSample("p", schema, 2, rows => done = rows)
    val old = oldRow(7, "seven")
    (1 to 3).foreach(_ => sample.add(ChangedRows.Delete, old))
    sample.add(ChangedRows.Insert, UTF8String.fromString("8"), values(8, "eight"))
    assert(done.isEmpty)
    sample.finish()
    assert(keys(done) ==
      Seq((ChangedRows.Delete, "7"), (ChangedRows.Delete, "7"), (ChangedRows.Insert, "8")))
    val shown = done.map(_.row(schema.size)).map(of => (of.getInt(0), of.getString(1)))
    assert(shown == Seq((7, "seven"), (7, "seven"), (8, "eight")))
  }

  test("the new base file has the rows that stay, or those of the old one with what is added") {
    val passed = new UnwrittenMerge[BaseFileRows](None)
    val skipping = new UnwrittenMerge[BaseFileRows](Some(10))
    val old = oldRow(7, "seven")
    Seq(passed, skipping).foreach { merge =>
      merge.carry(old)
      merge.update(old, values(7, "new"))
      merge.delete(old)
      merge.insert(old, UTF8String.fromString("8"), values(8, "eight"))
      merge.insert(old, UTF8String.fromString("9"), values(9, "nine"))
    }
    assert(passed.finish() == 1 + 1 + 2)
    assert(skipping.finish() == 10 - 1 + 2)
  }

  private def values(id: Int, v: String) =
    UnsafeProjection.create(schema)(InternalRow(id, UTF8String.fromString(v))).copy()

  private def oldRow(id: Int, v: String): BaseFileRows = new BaseFileRows {
    private val meta = Seq.fill(MetaColumns.schema.size)(UTF8String.fromString("meta"))
    override def hasRow: Boolean = true
    override def key: UTF8String = UTF8String.fromString(id.toString)
    override def row: InternalRow =
      InternalRow.fromSeq(meta ++ Seq(id, UTF8String.fromString(v)))
    override def advance(): Unit = ()
    override def close(): Unit = ()
  }
}
