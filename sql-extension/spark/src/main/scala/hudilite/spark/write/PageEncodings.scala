package hudilite.spark.write

import java.lang.{Long => JLong}

import scala.collection.mutable

import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.column.values.bloomfilter.{
  AdaptiveBlockSplitBloomFilter,
  BlockSplitBloomFilter,
  BloomFilter
}
import org.apache.parquet.column.values.factory.{DefaultV1ValuesWriterFactory, ValuesWriterFactory}
import org.apache.parquet.column.{ColumnDescriptor, ParquetProperties}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types.StructType

import hudilite.format.MetaFields
import hudilite.spark.plan.BloomColumns

/** Factory of the values writers of the columns of one file: Parquet's default encodings, except for
  * decimals of up to 18 digits, which have a dictionary, and for the two meta columns that never repeat a
  * value. Record keys and sequence numbers get no
  * dictionary, which would be of no use, and a sequence number repeats most bytes of the one before,
  * so these are delta-encoded. A column that needed no dictionary in one row group starts without
  * one in the next. */
final private[write] class PageEncodings extends ValuesWriterFactory {
  private val usual = new DefaultV1ValuesWriterFactory
  private val trials = mutable.Map.empty[Seq[String], DictionaryTrials]
  private var known = Option.empty[ParquetProperties]

  override def initialize(properties: ParquetProperties): Unit = {
    known = Some(properties)
    usual.initialize(properties)
  }

  override def newValuesWriter(column: ColumnDescriptor): ValuesWriter =
    known.fold(usual.newValuesWriter(column))(newWriter(column, _))

  private def newWriter(column: ColumnDescriptor, of: ParquetProperties): ValuesWriter =
    column.getPrimitiveType.getPrimitiveTypeName match {
      case BINARY if column.getPath.sameElements(Array(MetaFields.CommitSeqno)) =>
        new DeltaTexts(of)
      case BINARY => withDictionary(column, of)(new DictionaryBytes(of, _))
      case INT32 | FLOAT => withDictionary(column, of)(new DictionaryNumbers(Integer.BYTES, of, _))
      case INT64 | DOUBLE => withDictionary(column, of)(new DictionaryNumbers(JLong.BYTES, of, _))
      case FIXED_LEN_BYTE_ARRAY if column.getPrimitiveType.getTypeLength <= JLong.BYTES =>
        val length = column.getPrimitiveType.getTypeLength
        withDictionary(column, of, length)(new DictionaryNumbers(length, of, _, isFixed = true))
      case _ => usual.newValuesWriter(column)
    }

  /** @param length see [[PlainValues]]
    * @param made   returns the writer with a dictionary, given what to call if that is of no use */
  private def withDictionary(column: ColumnDescriptor, of: ParquetProperties, length: Int = 0)(
      made: (() => Unit) => ValuesWriter
  ): ValuesWriter = {
    val before = trials.getOrElseUpdate(column.getPath.toSeq, new DictionaryTrials)
    if (of.isDictionaryEnabled(column) && before.isDue()) made(() => before.fail())
    else new PlainValues(length)
  }
}

private[write] object PageEncodings {

  /** Maximum rows between two checks of the page sizes. */
  private val mostRowsOfStep = 100

  /** Smallest size of a bloom filter, in bytes. Its sizes are twice as large each. */
  private val leastBloom = 1 << 10

  /** Smallest and greatest value of the largest size of a bloom filter, in bytes. */
  private val mostBlooms = (128 << 10, 1 << 20)

  /** Number of rows between two checks of the page sizes; divides `layout.pageRows`. In every
    * column pages end only after a multiple of it, except the last page of a row group. */
  def step(layout: FileLayout): Int =
    math.min(layout.pageRows, mostRowsOfStep).to(1, -1).find(layout.pageRows % _ == 0).getOrElse(1)

  /** Parquet's default sizes, with pages of `layout.pageRows` rows at most, and bloom filters that are
    * as large as their values need.
    * @param schema columns of the file */
  def properties(layout: FileLayout, schema: StructType): ParquetProperties = {
    val sizes = ParquetProperties
      .builder()
      .withValuesWriterFactory(new PageEncodings)
      .withDictionaryEncoding(MetaFields.CommitSeqno, false)
      .withDictionaryEncoding(MetaFields.RecordKey, false)
      .withPageRowCountLimit(layout.pageRows)
      .estimateRowCountForPageSizeCheck(false)
      .withMinRowCountForPageSizeCheck(step(layout))
      .withAdaptiveBloomFilterEnabled(true)
      .withMaxBloomFilterBytes(bloomBytes(layout.rowGroupRows))
    val bloomSizes = Integer.numberOfTrailingZeros(bloomBytes(layout.rowGroupRows) / leastBloom) + 1
    BloomColumns.of(layout.blooms, schema).foldLeft(sizes) { (all, column) =>
      all.withBloomFilterEnabled(column, true).withBloomFilterCandidatesNumber(column, bloomSizes)
    }.build()
  }

  /** Returns the size of the bloom filter of a row group whose rows all have other values. */
  private def bloomBytes(rows: Int): Int = {
    val wrong = ParquetProperties.DEFAULT_BLOOM_FILTER_FPP
    val bits = BlockSplitBloomFilter.optimalNumOfBits(rows.toLong, wrong)
    (Integer.highestOneBit(bits / 8 - 1) << 1).max(mostBlooms._1).min(mostBlooms._2)
  }

  /** Returns an empty bloom filter of Parquet's for the values of a column in one row group. */
  def bloomOf(column: ColumnDescriptor, of: ParquetProperties): BloomFilter =
    new AdaptiveBlockSplitBloomFilter(
      of.getMaxBloomFilterBytes,
      of.getBloomFilterCandidatesCount(column),
      of.getBloomFilterFPP(column).orElse(ParquetProperties.DEFAULT_BLOOM_FILTER_FPP),
      column
    )
}
