package hudilite.bootstrap

import org.apache.parquet.bytes.{BytesInput, BytesUtils}
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.hadoop.ParquetFileWriter

import hudilite.index.KeyRange

/** Writes columns of optional texts that have a value in every row, in pages of the first version.
  * Source: Parquet's format, Data Pages. */
final private[bootstrap] class ColumnPages(
    writer: ParquetFileWriter,
    compressor: BytesInputCompressor
) {

  /** Begins a column's chunk in the open row group.
    * @param rows of the group, 1 or more */
  def start(column: ColumnDescriptor, rows: Long): Unit =
    writer.startColumn(column, rows, compressor.getCodecName)

  /** Writes the dictionary, which comes before the pages that point into it.
    * @param values  encoded as PLAIN
    * @param entries their number */
  def dictionary(values: BytesInput, entries: Int): Unit =
    writer.writeDictionaryPage(
      new DictionaryPage(
        compressor.compress(values),
        Math.toIntExact(values.size),
        entries,
        Encoding.PLAIN
      )
    )

  /** Writes one page.
    * @param values encoded, of as many rows
    * @param range  theirs in the order of their bytes */
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

  /** Ends the chunk. */
  def end(): Unit = writer.endColumn()
}

private[bootstrap] object ColumnPages {

  /** What a page says of its values, in the order of their bytes; none is null. */
  def bounds(column: ColumnDescriptor, range: KeyRange): Statistics[_] =
    Statistics
      .getBuilderForReading(column.getPrimitiveType)
      .withMin(range.min.getBytes)
      .withMax(range.max.getBytes)
      .withNumNulls(0)
      .build()

  /** A run of one number, as RLE has it.
    * @param width bytes of the number, none where it can only be 0 */
  def run(rows: Int, number: Int, width: Int): BytesInput =
    BytesInput.concat(
      BytesInput.fromUnsignedVarLong(rows.toLong << 1),
      BytesInput.from(BytesUtils.intToBytes(number), 0, width)
    )

  /** Definition levels that say that every row has a value. */
  private def levels(rows: Int): BytesInput = {
    val ones = run(rows, 1, 1)
    BytesInput.concat(BytesInput.fromInt(Math.toIntExact(ones.size)), ones)
  }
}
