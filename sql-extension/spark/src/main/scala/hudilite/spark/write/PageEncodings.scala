package hudilite.spark.write

import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.column.values.dictionary.DictionaryValuesWriter
import org.apache.parquet.column.values.factory.{DefaultV1ValuesWriterFactory, ValuesWriterFactory}
import org.apache.parquet.column.values.fallback.FallbackValuesWriter
import org.apache.parquet.column.values.plain.PlainValuesWriter
import org.apache.parquet.column.{ColumnDescriptor, ParquetProperties}

import hudilite.format.MetaFields

/** Factory of the values writers of columns: Parquet's default encodings, except for the two meta
  * columns that never repeat a value. Record keys and sequence numbers get no dictionary, which
  * would be of no use, and a sequence number repeats most bytes of the one before, so these are
  * delta-encoded. Values in PLAIN encoding are written by [[PlainValues]]. */
final private[write] class PageEncodings extends ValuesWriterFactory {
  private val usual = new DefaultV1ValuesWriterFactory
  private var known = Option.empty[ParquetProperties]

  override def initialize(properties: ParquetProperties): Unit = {
    known = Some(properties)
    usual.initialize(properties)
  }

  override def newValuesWriter(column: ColumnDescriptor): ValuesWriter = known match {
    case Some(of) if column.getPath.sameElements(Array(MetaFields.CommitSeqno)) =>
      new DeltaTexts(of)
    case _ => withOwnPlain(usual.newValuesWriter(column))
  }

  private def withOwnPlain(made: ValuesWriter): ValuesWriter = made match {
    case _: PlainValuesWriter => new PlainValues
    case both: FallbackValuesWriter[_, _] =>
      (both.initialWriter: ValuesWriter, both.fallBackWriter: ValuesWriter) match {
        case (dictionary: DictionaryValuesWriter, _: PlainValuesWriter) =>
          FallbackValuesWriter.of(dictionary, new PlainValues)
        case _ => both
      }
    case other => other
  }
}

private[write] object PageEncodings {

  /** Maximum rows between two checks of the page sizes. */
  private val mostRowsOfStep = 100

  /** Number of rows between two checks of the page sizes; divides `layout.pageRows`. In every
    * column pages end only after a multiple of it, except the last page of a row group. */
  def step(layout: FileLayout): Int =
    math.min(layout.pageRows, mostRowsOfStep).to(1, -1).find(layout.pageRows % _ == 0).getOrElse(1)

  /** Parquet's default sizes, with pages of `layout.pageRows` rows at most. */
  def properties(layout: FileLayout): ParquetProperties =
    ParquetProperties
      .builder()
      .withValuesWriterFactory(new PageEncodings)
      .withDictionaryEncoding(MetaFields.CommitSeqno, false)
      .withDictionaryEncoding(MetaFields.RecordKey, false)
      .withPageRowCountLimit(layout.pageRows)
      .estimateRowCountForPageSizeCheck(false)
      .withMinRowCountForPageSizeCheck(step(layout))
      .build()
}
