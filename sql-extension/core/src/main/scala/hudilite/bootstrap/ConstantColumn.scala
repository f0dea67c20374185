package hudilite.bootstrap

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.KeyRange

/** A column of one text: a dictionary that holds it, and one page of a single run, however many rows
  * there are. Source: Parquet's encodings, RLE_DICTIONARY. */
object ConstantColumn {

  /** The numbers of a dictionary of one entry take no bits. */
  private val width = 0

  /** Writes the chunk of an optional column in the open row group, which stands as it is in a file of
    * any codec.
    * @param plain a compressor that leaves the bytes as they are: a value that stands once takes more
    *              room packed
    * @param rows  of the group, 1 or more */
  def write(
      writer: ParquetFileWriter,
      plain: BytesInputCompressor,
      column: ColumnDescriptor,
      value: String,
      rows: Int
  ): Unit = write(new ColumnPages(writer, plain), column, value, rows)

  /** Writes the column's chunk in the open row group.
    * @param rows of the group, 1 or more */
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
