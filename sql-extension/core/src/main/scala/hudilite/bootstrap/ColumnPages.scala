package hudilite.bootstrap

import org.apache.parquet.bytes.{BytesInput, BytesUtils}
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.hadoop.ParquetFileWriter

import hudilite.index.KeyRange

/** Writer of optional string columns that have a value in every row, in data pages of version 1.
  * Source: Parquet's format, Data Pages. */
final private[bootstrap] class ColumnPages(
    writer: ParquetFileWriter,
    compressor: BytesInputCompressor
) {

  /** Begins a column chunk in the open row group.
    * @param rows rows of the row group, 1 or more */
  def start(column: ColumnDescriptor, rows: Long): Unit =
    writer.startColumn(column, rows, compressor.getCodecName)

  /** Writes the dictionary page, which comes before the pages that refer to it.
    * @param values  encoded as PLAIN
    * @param entries number of values */
  def dictionary(values: BytesInput, entries: Int): Unit =
    writer.writeDictionaryPage(
      new DictionaryPage(
        compressor.compress(values),
        Math.toIntExact(values.size),
        entries,
        Encoding.PLAIN
      )
    )

  /** Writes one data page.
    * @param values encoded values, one for each row
    * @param range  bounds of the values in the order of their bytes */
  def page(
      column: ColumnDescriptor,
      values: BytesInput,
      encoding: Encoding,
      rows: Int,
      range: KeyRange
  ): Unit = {
    val whole = BytesInput.concat(ColumnPages.levels(rows), values)
    writer.writeDataPage(
      rows,
      Math.toIntExact(whole.size),
      compressor.compress(whole),
      ColumnPages.bounds(column, range),
      rows.toLong,
      Encoding.RLE,
      Encoding.RLE,
      encoding
    )
  }

  /** Ends the column chunk. */
  def end(): Unit = writer.endColumn()
}

private[bootstrap] object ColumnPages {

  /** Returns the statistics of a page, in the order of the bytes of its values; none is null. */
  def bounds(column: ColumnDescriptor, range: KeyRange): Statistics[_] =
    Statistics
      .getBuilderForReading(column.getPrimitiveType)
      .withMin(range.min.getBytes)
      .withMax(range.max.getBytes)
      .withNumNulls(0)
      .build()

  /** Returns an RLE run of one number.
    * @param width bytes of the number, 0 if it can only be 0 */
  def run(rows: Int, number: Int, width: Int): BytesInput =
    BytesInput.concat(
      BytesInput.fromUnsignedVarLong(rows.toLong << 1),
      BytesInput.from(BytesUtils.intToBytes(number), 0, width)
    )

  /** Returns the definition levels of rows that all have a value. */
  private def levels(rows: Int): BytesInput = {
    val ones = run(rows, 1, 1)
    BytesInput.concat(BytesInput.fromInt(Math.toIntExact(ones.size)), ones)
  }
}
