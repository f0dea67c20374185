package hudilite.bootstrap

import java.nio.{ByteBuffer, ByteOrder}

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.spark.unsafe.types.UTF8String

/** Column chunk of record keys in PLAIN pages, which lookups read fastest. Source: Parquet's
  * encodings, PLAIN. */
final private[bootstrap] class PlainKeyChunk private (
    pages: ColumnPages,
    column: ColumnDescriptor,
    pageRows: Int
) extends KeyChunk {
  import PlainKeyChunk._

  private var buffer = sized(pageBytes)
  private val all, bounds = new KeyBounds(KeyBounds.byBytes)
  private var rows = 0

  override def add(key: UTF8String): Unit = {
    val needed = Integer.BYTES + key.numBytes
    if (rows == pageRows || (rows > 0 && buffer.position + needed > pageBytes)) flush()
    if (needed > buffer.remaining) buffer = sized(needed)
    buffer.putInt(key.numBytes)
    key.writeTo(buffer)
    bounds.add(key)
    rows += 1
  }

  override def end(): KeyBounds = {
    if (rows > 0) flush()
    pages.end()
    all
  }

  private def flush(): Unit = {
    val values = BytesInput.from(buffer.array, 0, buffer.position)
    bounds.range.foreach(pages.page(column, values, Encoding.PLAIN, rows, _))
    all.add(bounds)
    bounds.clear()
    buffer.clear(): Unit
    rows = 0
  }
}

private[bootstrap] object PlainKeyChunk {

  /** Begins the column chunk in the open row group.
    * @param rows     rows of the row group, 1 or more
    * @param pageRows maximum rows per page, 1 or more */
  def start(pages: ColumnPages, column: ColumnDescriptor, rows: Int, pageRows: Int): KeyChunk = {
    pages.start(column, rows.toLong)
    new PlainKeyChunk(pages, column, pageRows)
  }

  /** Maximum size of a page in bytes, unless a single key is longer. */
  private val pageBytes = 1 << 20

  private def sized(bytes: Int): ByteBuffer =
    ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN)
}
