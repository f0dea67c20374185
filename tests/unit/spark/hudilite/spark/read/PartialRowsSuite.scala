package hudilite.spark.read

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException

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

  private val evens = Layer(5, 0, isPartial = true)

  test("a column is that of the first row that has it, of every type; or of the base; or NULL") {
    using { batch =>
      val whole = texts(batch, columns)
      Seq(1, 2, 100).foreach { most =>
        val rows = new PartialRows(columns)
        rows.addBlock(5, "log", even)
        rows.addBlock(3, "log", even.map(_ => true))
        rows.add(5, 0, batch.getRow(1))
        rows.add(5, 40, batch.getRow(1))
        rows.add(3, 7, batch.getRow(2))
        rows.retain(Iterator(List(evens), List(Layer(3, 7, isPartial = false))))
        rows.take(9, List(evens), batch.getRow(0))
        assert(rows.takenRows().map(_._1) == Seq(9) && rows.takenRows().isEmpty)
        rows.take(9, List(evens), batch.getRow(0))
        val made = rows.of(List(evens, Layer(3, 7, isPartial = false))) +:
          (rows.takenRows().map(_._2) :+ rows.of(List(evens)))
        assert(texts(rows.open(made.iterator, most), columns) == Seq(
          chosen(whole(1), whole(2)),
          chosen(whole(1), whole(0)),
          chosen(whole(1), columns.map(_ => "null"))
        ))
      }
    }
  }

  test("a NULL that was assigned stays, and several partial rows are taken in their order") {
    using { batch =>
      val whole = texts(batch, columns)
      val rows = new PartialRows(columns)
      rows.addBlock(0, "log", even)
      rows.addBlock(1, "log", even.map(!_))
      rows.addBlock(2, "log", even.map(_ => true))
      rows.add(0, 0, batch.getRow(3)) // a row of NULLs
      rows.add(1, 4, batch.getRow(0))
      rows.add(2, 5, batch.getRow(1))
      val layers = List(0 -> 0, 1 -> 4, 2 -> 5).map { case (block, row) => Layer(block, row, true) }
      val made = texts(rows.open(Iterator(rows.of(layers)), 10), columns)
      assert(made == Seq(chosen(whole(3), whole(0))))
    }
  }

  test(
    "a column that must not be NULL, and that nothing has, is an error that names the log file"
  ) {
    using { batch =>
      val required = StructType(columns.map(_.copy(nullable = false)))
      val rows = new PartialRows(required)
      rows.addBlock(5, "some.log", even)
      rows.add(5, 0, batch.getRow(1))
      val error = intercept[HudiliteException](rows.of(List(evens)))
      assert(error.condition == "HUDILITE_CORRUPT_DATA_FILE")
      assert(error.parameters("path") == "some.log")
      rows.take(0, List(evens), batch.getRow(0))
      assert(rows.takenRows().size == 1)
    }
  }

  test("rows without columns are counted") {
    val rows = new PartialRows(new StructType)
    rows.addBlock(0, "log", Array.empty)
    using(batch => Seq(0, 1).foreach(row => rows.add(0, row, batch.getRow(row))))
    val made = Iterator(0, 1).map(row => rows.of(List(Layer(0, row, isPartial = true))))
    val reader = rows.open(made, 10)
    assert(reader.next() && reader.get.numRows == 2 && !reader.next())
    reader.close()
  }

  test("rows that were put together stay in their places, or come behind their batch") {
    using { batch =>
      val whole = texts(batch, columns)
      val composed = chosen(whole(1), whole(2))
      Seq(true -> Seq(whole.head, composed, whole(3)), false -> Seq(whole.head, whole(3), composed))
        .foreach { case (inOrder, expected) =>
          val rows = new PartialRows(columns)
          rows.addBlock(5, "log", even)
          rows.add(5, 0, batch.getRow(1))
          val reader = new Remaining(
            ofParquet(parquet, columns),
            batch =>
              gone => {
                rows.take(2, List(evens), batch.getRow(2))
                gone(0) = 1
                gone(1) = 2
                2
              },
            columns.length,
            inOrder,
            Some(rows)
          )
          assert(texts(reader, columns) == expected)
        }
    }
  }
}
