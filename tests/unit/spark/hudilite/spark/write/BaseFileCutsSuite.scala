package hudilite.spark.write

import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types._

class BaseFileCutsSuite extends BaseFiles {

  private val sized = StructType(
    flat.fields.take(5) ++ Seq(StructField("small", IntegerType), StructField("large", BinaryType))
  )

  test("pages and row groups of few rows end where the layout says") {
    val rows = flatRows(25)
    val byRows = written(flat, layout(3, 10))(to => internal(rows, flat).foreach(to.write))
    val byBatch = written(flat, layout(3, 10)) { to =>
      inBatches(rows, flat, offHeap = false, 7) { batch =>
        to.write(batch, 0, batch.numRows)
        to.release()
      }
    }
    Seq(byRows, byBatch).foreach { path =>
      assert(groups(path) == Seq(10, 10, 5))
      flat.fieldNames.foreach { name =>
        assert(pages(path, name) == Seq(Seq(0, 3, 6, 9), Seq(0, 3, 6, 9), Seq(0, 3)), name)
      }
    }
  }

  Seq(1 -> 1, 7 -> 7, 101 -> 1, 5000 -> 100, 250 -> 50).foreach { case (pageRows, step) =>
    test(s"pages of $pageRows rows are looked at every $step") {
      assert(PageEncodings.step(layout(pageRows, 1000)) == step)
    }
  }

  test("a page of one megabyte ends early, between two rows of a hundred, in its column alone") {
    val rows = sizedRows(12000, 1000)
    val path = written(sized, layout(5000, 262144, CompressionCodecName.UNCOMPRESSED)) { to =>
      inBatches(rows, sized, offHeap = false, 4096) { batch =>
        to.write(batch, 0, batch.numRows)
        to.release()
      }
    }
    assert(pages(path, "small") == Seq(Seq(0, 5000, 10000)))
    assert(pages(path, "_hoodie_record_key") == Seq(Seq(0, 5000, 10000)))
    val starts = pages(path, "large").head
    assert(starts.forall(_ % 100 == 0) && starts.size > 10, starts)
    assert(starts.zip(starts.tail).forall { case (a, b) => b - a <= 1100 }, starts)
    assert(read(path, sized).map(_.getInt(5)) == rows.map(_.getInt(5)))
  }

  test("a row group ends at its rows, in the midst of a batch") {
    val rows = sizedRows(9000, 1)
    val path = written(sized, layout(5000, 3001)) { to =>
      inBatches(rows, sized, offHeap = false, 4096) { batch =>
        to.write(batch, 0, batch.numRows)
        to.release()
      }
    }
    assert(groups(path) == Seq(3001, 3001, 2998))
    assert(read(path, sized) == rows)
  }

  test("a row group of Parquet's size ends before its rows") {
    val large = new Array[Byte](1 << 20)
    val row = new GenericInternalRow(Array[Any](None.orNull, None.orNull, None.orNull, None.orNull,
      None.orNull, 1, large))
    val path = written(sized, layout(5000, 262144, CompressionCodecName.UNCOMPRESSED)) { to =>
      // A dictionary would hold the one value once.
      (0 until 160).foreach { i =>
        large(0) = i.toByte
        to.write(row)
      }
    }
    val found = groups(path)
    assert(found.size == 2 && found.head >= 100 && found.head <= 150, found)
  }

  test("a group that is ended early ends, and an empty one leaves nothing") {
    val rows = internal(flatRows(6), flat)
    val path = written(flat, layout(3, 10)) { to =>
      to.endRowGroup()
      rows.take(2).foreach(to.write)
      to.endRowGroup()
      to.endRowGroup()
      rows.drop(2).foreach(to.write)
    }
    assert(groups(path) == Seq(2, 4))
    assert(pages(path, "text") == Seq(Seq(0), Seq(0, 3)))
  }

  private def sizedRows(count: Int, bytes: Int): Seq[Row] = Seq.tabulate(count) { i =>
    val large = Array.fill(bytes)((i % 128).toByte)
    if (bytes > 4) java.nio.ByteBuffer.wrap(large).putInt(i)
    Row("1", s"1_$i", f"k$i%06d", "", "f", i, large)
  }
}
