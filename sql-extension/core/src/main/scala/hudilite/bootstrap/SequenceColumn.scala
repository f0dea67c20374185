package hudilite.bootstrap

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.parquet.bytes.{BytesInput, HeapByteBufferAllocator}
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForInteger
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.KeyRange

/** Writer of a column of texts `<prefix><row>` that count the rows of a file from 0 on. Of each
  * text, only the difference to the one before is written. Source: Parquet's encodings,
  * DELTA_BYTE_ARRAY.
  * @param pageRows maximum rows per page, 1 or more */
final private[bootstrap] class SequenceColumn(
    column: ColumnDescriptor,
    prefix: String,
    pageRows: Int
) {
  import SequenceColumn._

  private val digitsFrom = prefix.getBytes(UTF_8).length
  private val shared, lengths = numbers()
  private var rests = new Array[Byte](1 << 10)
  private var restBytes = 0
  private var next = 0L

  /** Writes the column chunk into the open row group.
    * @param rows rows of the row group, 1 or more */
  def write(pages: ColumnPages, rows: Int): Unit = {
    pages.start(column, rows.toLong)
    Iterator.range(0, rows, pageRows).foreach { from =>
      val count = math.min(pageRows, rows - from)
      val known = range(next, next + count - 1)
      pages.page(column, encoded(count), Encoding.DELTA_BYTE_ARRAY, count, known)
    }
    pages.end()
  }

  /** Encodes the next texts. The result is valid until the next call. */
  private def encoded(rows: Int): BytesInput = {
    shared.reset()
    lengths.reset()
    restBytes = 0
    var text = textOf(next)
    var same = 0
    var row = 0
    while (row < rows) {
      shared.writeInteger(same)
      lengths.writeInteger(text.length - same)
      keep(text, same)
      next += 1
      same = increment(text)
      if (same < digitsFrom) {
        text = textOf(next)
        same = digitsFrom
      }
      row += 1
    }
    BytesInput.concat(shared.getBytes, lengths.getBytes, BytesInput.from(rests, 0, restBytes))
  }

  private def keep(text: Array[Byte], from: Int): Unit = {
    if (rests.length - restBytes < text.length)
      rests = java.util.Arrays.copyOf(rests, 2 * rests.length + text.length)
    var at = from
    while (at < text.length) {
      rests(restBytes) = text(at)
      restBytes += 1
      at += 1
    }
  }

  /** Increments the number in place.
    * @return index of the first digit that changed; before the digits if there are too few */
  private def increment(text: Array[Byte]): Int = {
    var at = text.length - 1
    while (at >= digitsFrom && text(at) == '9') {
      text(at) = '0'
      at -= 1
    }
    if (at >= digitsFrom) text(at) = (text(at) + 1).toByte
    at
  }

  /** Returns the first and last of the texts in the order of their bytes, which is not that of the
    * numbers. */
  private def range(from: Long, to: Long): KeyRange = {
    val turns = powersOfTen.filter(power => power > from && power <= to)
    val texts = (Vector(from, to) ++ turns ++ turns.map(_ - 1)).map(_.toString)
    KeyRange(UTF8String.fromString(prefix + texts.min), UTF8String.fromString(prefix + texts.max))
  }

  private def textOf(row: Long): Array[Byte] = (prefix + row).getBytes(UTF_8)
}

private object SequenceColumn {
  private val powersOfTen = Vector.iterate(10L, 18)(_ * 10)

  private def numbers() =
    new DeltaBinaryPackingValuesWriterForInteger(1 << 10, 1 << 20, new HeapByteBufferAllocator)
}
