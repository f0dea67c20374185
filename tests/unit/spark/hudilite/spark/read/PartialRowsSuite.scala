package hudilite.spark.read

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.scalatest.funsuite.AnyFunSuite

/** Rows that are put together of rows with some columns and of rows with all. Source: merge-on-read §4.6. */
class PartialRowsSuite extends AnyFunSuite {
  import LogBlocks._
  import LogFold.Layer

  private def using(test: ColumnarBatch => Any): Unit = {
    val reader = ofParquet(parquet, columns)
    assert(reader.next())
    test(reader.get)
    reader.close()
  }

  private val even = columns.indices.map(_ % 2 == 0).toArray
  private def chosen(evens: Seq[String], odds: Seq[String]): Seq[String] =
    columns.indices.map(i => if (even(i)) evens(i) else odds(i))

  test("a column is that of the first row that has it, of every type; or of the base; or NULL") {
    using { batch =>
      val whole = texts(batch, columns)
      val nothing = columns.map(_ => "null")
      Seq(1, 2, 100).foreach { most =>
        val rows = new PartialRows(columns)
        rows.addBlock(5, even)
        rows.add(5, 0, batch.getRow(1))
        rows.add(3, 7, batch.getRow(2))
        rows.addBase(1, batch.getRow(0))
        rows.addBase(0, batch.getRow(3))
        val of = Iterator(
          0 -> List(Layer(5, 0, isPartial = true), Layer(3, 7, isPartial = false)),
          1 -> List(Layer(5, 0, isPartial = true)),
          2 -> List(Layer(5, 0, isPartial = true))
        )
        assert(texts(rows.open(of, most), columns) == Seq(
          chosen(whole(1), whole(2)),
          chosen(whole(1), whole(0)),
          chosen(whole(1), nothing)
        ))
      }
    }
  }

  test("a NULL that was assigned stays, and several partial rows are taken in their order") {
    using { batch =>
      val whole = texts(batch, columns)
      val rows = new PartialRows(columns)
      rows.addBlock(0, even)
      rows.addBlock(1, even.map(!_))
      rows.addBlock(2, even.map(_ => true))
      rows.add(0, 0, batch.getRow(3)) // a row of NULLs
      rows.add(1, 4, batch.getRow(0))
      rows.add(2, 5, batch.getRow(1))
      val layers = Seq(0 -> 0, 1 -> 4, 2 -> 5).map { case (block, row) => Layer(block, row, true) }
      val made = texts(rows.open(Iterator(0 -> layers.toList), 10), columns)
      assert(made == Seq(chosen(whole(3), whole(0))))
    }
  }

  test("rows without columns are counted") {
    val rows = new PartialRows(new StructType)
    using(batch => Seq(0, 1).foreach(row => rows.add(0, row, batch.getRow(row))))
    val of = Iterator(0, 1).map(row => row -> List(Layer(0, row, isPartial = true)))
    val reader = rows.open(of, 10)
    assert(reader.next() && reader.get.numRows == 2 && !reader.next())
    reader.close()
  }
}
