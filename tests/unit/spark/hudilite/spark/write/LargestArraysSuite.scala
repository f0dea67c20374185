package hudilite.spark.write

import java.io.ByteArrayOutputStream

import scala.util.Random

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.io.api.Binary
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** No array of what a task holds while it writes is of the size from which on the collector treats
  * it apart: half a region of a megabyte. */
class LargestArraysSuite extends AnyFunSuite {

  private val most = (512 << 10) - 16 // bytes, without the array's header

  private val properties = ParquetProperties.builder()
    .withDictionaryPageSize(1 << 20).withPageRowCountLimit(100000000).build()

  private def value(i: Int, bytes: Int): Array[Byte] = f"$i%010d".padTo(bytes, 'x').getBytes

  for (count <- Seq(10, 30000, 300000)) {
    test(s"records, $count") {
      val buffer = new RecordBuffer(1024)
      (0 until count).foreach(i => buffer.add(i, UTF8String.fromBytes(value(i, 40))))
      assert(buffer.size == count && buffer.largestArray > 0 && buffer.largestArray <= most)
    }

    test(s"a page of plain values, $count") {
      val plain = new PlainValues
      (0 until count).foreach { i =>
        plain.writeLong(i.toLong)
        plain.writeBytes(Binary.fromReusedByteArray(value(i, 100)))
      }
      assert(plain.getBytes.size == count * 112L && plain.bytes.largestArray <= most)
    }

    test(s"dictionaries of numbers and texts, and their pages, $count") {
      for {
        width <- Seq(4, 8)
        repeats <- Seq(1, 8)
      } {
        val numbers = new DictionaryNumbers(width, properties, () => ())
        val texts = new DictionaryBytes(properties, () => ())
        for (i <- 0 until count * 2) {
          val of = value(i / repeats, 12)
          numbers.add((i / repeats).toLong): Unit
          texts.add(of, 0, of.length): Unit
        }
        for (of <- Seq(numbers, texts)) {
          assert(of.getBytes.size > 0 && of.largestArray <= most, (of.getClass, width, repeats))
          of.reset()
        }
      }
    }
  }

  private val seed = Random.nextLong()

  test(s"bytes are the same in several arrays as in one, and after the page ($seed)") {
    val random = new Random(seed)
    val buffer = new GrowingBytes
    for (_ <- 1 to 4) {
      val values = Seq.fill(200)(random.nextBytes(
        if (random.nextInt(40) == 0) random.nextInt(300000) else random.nextInt(9000)
      ))
      val places = values.map(of => buffer.putBytes(of, 0, of.length))
      val expected = values.flatMap(of => length(of.length) ++ of).toArray
      assert(buffer.size == expected.length)
      assert(bytes(buffer.written).sameElements(expected))
      for (i <- Seq(0, 1, 57, 199))
        assert(bytes(buffer.writtenUntil(places(i))).sameElements(
          expected.take(values.take(i).map(_.length + 4).sum)
        ))
      for ((of, place) <- values.zip(places)) {
        assert(buffer.isAt(place, of, 0, of.length))
        assert(!buffer.isAt(place, of :+ 1.toByte, 0, of.length + 1))
      }
      buffer.clear()
      assert(buffer.size == 0 && buffer.largestArray <= most)
    }
  }

  private def bytes(of: BytesInput): Array[Byte] = {
    val out = new ByteArrayOutputStream
    of.writeAllTo(out)
    out.toByteArray
  }

  private def length(of: Int) = Array(of, of >> 8, of >> 16, of >> 24).map(_.toByte)
}
