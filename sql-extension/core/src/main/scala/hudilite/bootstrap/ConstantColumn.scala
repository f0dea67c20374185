package hudilite.bootstrap

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.KeyRange

/** Writer of a column with the same text in all rows: a dictionary with that text, and one page
  * with a single run, for any number of rows. Source: Parquet's encodings, RLE_DICTIONARY. */
object ConstantColumn {

  /** Bit width of the indexes into a dictionary. With one entry they take no bits. */
  private val width = 0

  /** Writes the column chunk of an optional column into the open row group. The chunk is valid in a
    * file of any codec.
    * @param plain compressor that leaves the bytes as they are, because a single value takes more
    *              space compressed
    * @param rows  rows of the row group, 1 or more */
  def write(
      writer: ParquetFileWriter,
      plain: BytesInputCompressor,
      column: ColumnDescriptor,
      value: String,
      rows: Int
  ): Unit = write(new ColumnPages(writer, plain), column, value, rows)

  /** Writes the column chunk into the open row group.
    * @param rows rows of the row group, 1 or more */
  private[bootstrap] def write(
      pages: ColumnPages,
      column: ColumnDescriptor,
      value: String,
      rows: Int
  ): Unit = {
    val bytes = value.getBytes(UTF_8)
    pages.start(column, rows.toLong)
    pages.dictionary(BytesInput.concat(BytesInput.fromInt(bytes.length), BytesInput.from(bytes)), 1)
    val numbers =
      BytesInput.concat(BytesInput.from(Array[Byte](width.toByte)), ColumnPages.run(rows, 0, width))
    val text = UTF8String.fromBytes(bytes)
    pages.page(column, numbers, Encoding.RLE_DICTIONARY, rows, KeyRange(text, text))
    pages.end()
  }
}
