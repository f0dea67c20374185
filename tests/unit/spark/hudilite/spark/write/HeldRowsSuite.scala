package hudilite.spark.write

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class HeldRowsSuite extends BaseFiles {

  private val seed = Random.nextLong()
  private val rows = flatRows(700)
  private val changed = flat.fieldNames.toSeq.drop(2)
    .filterNot(Set("_hoodie_record_key", "i32", "raw")).reverse
  private val patches = StructType(changed.map(flat(_)))
  private val places = Array(NewRow.commitTimeAt, NewRow.sequenceAt) ++
    placesOf(flat.fieldNames.toSeq.drop(2).map(changed.indexOf(_)): _*)

  private def text(of: String) = UTF8String.fromString(of)

  private def changedOf(row: Row) = Row.fromSeq(changed.map(name => row(flat.fieldIndex(name))))

  private def patched(row: Row, by: Row, sequence: String) =
    Row.fromSeq(Seq("002", sequence) ++ flat.fieldNames.toSeq.zipWithIndex.drop(2).map {
      case (name, j) => if (changed.contains(name)) by(j) else row(j)
    })

  Seq(layout(5000, 262144), layout(100, 300), layout(7, 100)).foreach { layout =>
    test(s"what is held is written as if it came row by row ($layout, $seed)") {
      val random = new Random(seed)
      val patchRows = internal(rows.map(changedOf), patches)
      val asRows = internal(rows, flat)
      val values =
        internal(rows.map(row => Row.fromSeq(row.toSeq.drop(5))), StructType(flat.drop(5)))
      val created = new NewRow(text("002"), text("p=1"), text("b.parquet"))
      val numbers = new SequenceNumbers("002", 3)
      val expected = Seq.newBuilder[Row]
      val path = written(flat, layout) { to =>
        inBatches(rows, flat, offHeap = false, 300) { batch =>
          var at = 0
          def old = rows(batch.column(21).getInt(at))
          while (at < batch.numRows) {
            val other = random.nextInt(rows.size)
            random.nextInt(5) match {
              case 0 =>
                val sequence = numbers.next()
                expected += patched(old, rows(other), sequence.toString)
                val patch = created.of(sequence, UTF8String.EMPTY_UTF8, patchRows(other))
                to.write(batch, at, patch, places)
                at += 1
              case 1 =>
                val end = math.min(at + random.nextInt(9), batch.numRows)
                (at until end).foreach { i =>
                  expected += rows(batch.column(21).getInt(i))
                }
                to.write(batch, at, end)
                at = end
              case 2 =>
                expected += rows(other)
                to.write(asRows(other))
              case 3 =>
                for (_ <- 0 to random.nextInt(5)) {
                  val (sequence, key) = (numbers.next(), text(s"new $other"))
                  val meta = Seq("002", sequence.toString, key.toString, "p=1", "b.parquet")
                  expected += Row.fromSeq(meta ++ rows(other).toSeq.drop(5))
                  to.write(created.of(sequence, key, values(other)))
                }
              case _ => at += 1
            }
          }
          to.release()
        }
      }
      val byRow = written(flat, layout) { to =>
        internal(expected.result(), flat).foreach { row =>
          to.write(new GenericInternalRow(row.copy().toSeq(flat).toArray[Any]))
        }
      }
      assert(read(path, flat) == expected.result())
      assert(groups(path) == groups(byRow))
      for {
        group <- groups(path).indices
        name <- flat.fieldNames
      } {
        assert(body(path, group, name) == body(byRow, group, name), name)
        assert(indexes(path, group, name) == indexes(byRow, group, name), name)
        assert(chunk(path, group, name).getStatistics == chunk(byRow, group, name).getStatistics)
      }
    }
  }

  test("patches of several forms, of several batches, and large ones") {
    val schema = StructType(flat.fields.take(5) ++
      Seq(StructField("a", StringType), StructField("b", StringType)))
    val old = Seq.tabulate(50)(i => Row("1", s"1_$i", s"k$i", "", "f", s"a$i", s"b$i"))
    val one = StructType(Seq(StructField("a", StringType)))
    val large = "x" * 100000
    val path = written(schema, layout(5000, 262144)) { to =>
      inBatches(old, schema, offHeap = false, 20) { batch =>
        (0 until batch.numRows).foreach { at =>
          val patch = patchOf(internal(Seq(Row(s"$large$at")), one).head)
          if (at % 3 == 0) to.write(batch, at, patch, placesOf(-1, -1, -1, -1, -1, 0, -1))
          else if (at % 3 == 1) to.write(batch, at, patch, placesOf(-1, -1, -1, -1, -1, -1, 0))
          else to.write(batch, at, at + 1)
        }
        to.release()
      }
    }
    val expected = old.zipWithIndex.map { case (row, i) =>
      val at = i % 20
      if (at % 3 == 2) row else Row.fromSeq(row.toSeq.updated(5 + at % 3, s"$large$at"))
    }
    assert(read(path, schema) == expected)
  }

  test("a value of ten megabytes is written, by row, by batch and as a patch") {
    val schema = StructType(flat.fields.take(5) ++ Seq(StructField("raw", BinaryType)))
    def row(i: Int, size: Int) =
      Row("1", s"1_$i", s"k$i", "", "f", Array.fill(size)(i.toByte))
    val values = Seq(row(0, 3), row(1, 10 << 20), row(1, 10 << 20), row(2, 0))
    val asRows = internal(values, schema)
    val patch = patchOf(internal(Seq(Row(values(1).get(5))), StructType(schema.takeRight(1))).head)
    val path = written(schema, layout(5000, 262144)) { to =>
      asRows.foreach(to.write)
      inBatches(values, schema, offHeap = false, 4) { batch =>
        to.write(batch, 0, 3)
        to.write(batch, 3, patch, placesOf(-1, -1, -1, -1, -1, 0))
        to.release()
      }
    }
    val found = read(path, schema).map(row => (row.getString(2), row.getAs[Array[Byte]](5).toSeq))
    val expected = (values ++ values.take(3) :+ row(1, 10 << 20))
      .map(_.getAs[Array[Byte]](5).toSeq)
    assert(found.map(_._2) == expected)
    assert(found.map(_._1) == Seq("k0", "k1", "k1", "k2", "k0", "k1", "k1", "k2"))
  }
}
