package hudilite.spark.write

import java.io.ByteArrayOutputStream

import scala.util.Random

import org.apache.parquet.bytes.{BytesInput, HeapByteBufferAllocator}
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.column.values.deltastrings.DeltaByteArrayWriter
import org.apache.parquet.column.values.plain.PlainValuesWriter
import org.apache.parquet.io.api.Binary
import org.scalatest.funsuite.AnyFunSuite

class PageValuesSuite extends AnyFunSuite {

  private val seed = Random.nextLong()
  private val pageBytes = 1 << 20

  private def plain = new PlainValuesWriter(64, pageBytes, new HeapByteBufferAllocator)

  private def delta = new DeltaByteArrayWriter(64, pageBytes, new HeapByteBufferAllocator)

  private def bytes(of: BytesInput): Seq[Byte] = {
    val out = new ByteArrayOutputStream
    of.writeAllTo(out)
    out.toByteArray.toSeq
  }

  /** Writes pages of values into both, and sees that they are the same. */
  private def check(ours: ValuesWriter, theirs: ValuesWriter)(
      value: Random => ValuesWriter => Unit
  ): Unit = {
    val random = new Random(seed)
    for (page <- 1 to 20) {
      for (_ <- 1 to random.nextInt(page * 200)) {
        val write = value(random)
        Seq(ours, theirs).foreach(write)
        assert(ours.getBufferedSize == theirs.getBufferedSize)
      }
      assert(ours.getEncoding == theirs.getEncoding)
      assert(bytes(ours.getBytes) == bytes(theirs.getBytes))
      Seq(ours, theirs).foreach(_.reset())
    }
    Seq(ours, theirs).foreach(_.close())
  }

  /** Bytes in one of the ways in which Parquet holds them; some begin as others do. */
  private def binary(random: Random): Binary = {
    val begin = "20260101000000000_".take(random.nextInt(19)).getBytes
    val bytes = begin ++ random.nextBytes(random.nextInt(if (random.nextInt(50) == 0) 5000 else 20))
    random.nextInt(3) match {
      case 0 => Binary.fromConstantByteArray(bytes)
      case 1 => Binary.fromReusedByteArray(bytes)
      case _ => Binary.fromReusedByteArray(7.toByte +: bytes :+ 7.toByte, 1, bytes.length)
    }
  }

  test(s"plain values are Parquet's, byte for byte ($seed)") {
    check(new PlainValues, plain) { random =>
      val (int, long) = (random.nextInt(), random.nextLong())
      random.nextInt(5) match {
        case 0 => _.writeInteger(int)
        case 1 => _.writeLong(long)
        case 2 => _.writeFloat(java.lang.Float.intBitsToFloat(int))
        case 3 => _.writeDouble(java.lang.Double.longBitsToDouble(long))
        case _ =>
          val of = binary(random)
          _.writeBytes(of)
      }
    }
  }

  test(s"texts of which each is most of the one before are Parquet's, byte for byte ($seed)") {
    check(new DeltaTexts(ParquetProperties.builder().build()), delta) { random =>
      val of = binary(random)
      _.writeBytes(of)
    }
  }
}
