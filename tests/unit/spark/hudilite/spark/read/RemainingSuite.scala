package hudilite.spark.read

import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.scalatest.funsuite.AnyFunSuite

/** Chosen rows of batches. */
class RemainingSuite extends AnyFunSuite {

  /** Reader of the numbers below `count` in batches of three, each with two equal columns. */
  private def numbers(count: Int): PartitionReader[ColumnarBatch] =
    new PartitionReader[ColumnarBatch] {
      private val starts = (0 until count by 3).iterator
      private var start = 0
      override def next(): Boolean = {
        val more = starts.hasNext
        if (more) start = starts.next()
        more
      }
      override def get(): ColumnarBatch = {
        val rows = math.min(3, count - start)
        val vector = new OnHeapColumnVector(rows, IntegerType)
        (0 until rows).foreach(i => vector.putInt(i, start + i))
        new ColumnarBatch(Array[ColumnVector](vector, vector), rows)
      }
      override def close(): Unit = ()
    }

  /** Returns the chosen numbers, batch by batch. */
  private def read(count: Int, chosen: Int*): Seq[Seq[Int]] = {
    val rows = new ChosenRows(chosen.toArray)
    val reader = new Remaining(numbers(count), rows.others(_), columns = 1)
    Iterator.continually(reader).takeWhile(_.next()).map { r =>
      val batch = r.get()
      assert(batch.numCols == 1)
      Seq.tabulate(batch.numRows)(batch.column(0).getInt(_))
    }.toSeq
  }

  test("rows are chosen by their numbers, and batches without one are left out") {
    assert(read(10, 1, 2, 6, 9) == Seq(Seq(2, 1), Seq(6), Seq(9)))
    assert(read(10) == Seq.empty && read(0) == Seq.empty)
    assert(read(7, 0 until 7: _*) == Seq(Seq(0, 1, 2), Seq(3, 4, 5), Seq(6)))
  }

  test(
    "every choice of the rows of a batch leaves these rows, in vectors that are written and others"
  ) {
    val all = 6
    (1 until 1 << all).foreach { bits =>
      val stay = (0 until all).filter(i => (bits >> i & 1) == 1)
      val gone = (0 until all).diff(stay)
      val written = new OnHeapColumnVector(all, IntegerType)
      (0 until all).foreach(i => written.putInt(i, i))
      val other = new OnHeapColumnVector(all, IntegerType)
      (0 until all).foreach(i => other.putInt(i, i))
      val viewed = new SelectedVector(other, (0 until all).toArray, all)
      val odd = new OnHeapColumnVector(all, IntegerType)
      (0 until all).foreach(i => if (i % 2 == 0) odd.putNull(i) else odd.putInt(i, i))
      val batch = new ColumnarBatch(Array[ColumnVector](written, viewed, odd), all)
      val left = RowRemoval.from(batch, gone.toArray.padTo(all, -1), gone.size, columns = 3)
      (0 until left.numRows).foreach { i =>
        val value = left.column(0).getInt(i)
        assert(left.column(2).isNullAt(i) == (value % 2 == 0))
        assert(value % 2 == 0 || left.column(2).getInt(i) == value)
      }
      val rows =
        Seq.tabulate(left.numRows)(i => left.column(0).getInt(i) -> left.column(1).getInt(i))
      assert(rows.forall { case (one, two) => one == two } && rows.map(_._1).sorted == stay)
    }
  }
}
