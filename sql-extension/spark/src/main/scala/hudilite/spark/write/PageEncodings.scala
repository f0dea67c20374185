package hudilite.spark.write

import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.column.values.dictionary.DictionaryValuesWriter
import org.apache.parquet.column.values.factory.{DefaultV1ValuesWriterFactory, ValuesWriterFactory}
import org.apache.parquet.column.values.fallback.FallbackValuesWriter
import org.apache.parquet.column.values.plain.PlainValuesWriter
import org.apache.parquet.column.{ColumnDescriptor, ParquetProperties}

import hudilite.format.MetaFields

/** Encodings of the values: Parquet's usual ones, but for the two meta columns that never repeat a
  * value. A dictionary is of no use to those, and of sequence numbers most is the one before. */
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

  /** Rows between two checks of the pages' sizes, where the page's rows are a multiple of it. */
  private val mostRowsOfStep = 100

  /** Pages end after one of so many rows only, in every column. */
  def step(layout: FileLayout): Int =
    math.min(layout.pageRows, mostRowsOfStep).to(1, -1).find(layout.pageRows % _ == 0).getOrElse(1)

  /** Parquet's own sizes, with pages of so many rows. */
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
