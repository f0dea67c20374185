package hudilite.index

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData, ParquetMetadata}
import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{Crc, FooterKey, MetaFields}

/** What the footer of a base file says of its record keys. Source: hudi-format §4.6, §4.7.
  * @param rows     number of the file's rows
  * @param range    bounds of its keys in the order of their bytes, where they are known
  * @param filter   None where it is absent or does not fit its checksum */
final case class KeyFooter(
    rows: Long,
    range: Option[KeyRange],
    filter: Option[BloomFilter]
)

object KeyFooter {

  /** @param path for messages
    * Errors: HUDILITE_CORRUPT_DATA_FILE for a filter whose bytes make no sense. */
  def of(footer: ParquetMetadata, path: String): KeyFooter = {
    val pairs = footer.getFileMetaData.getKeyValueMetaData.asScala.toMap
    val front = ofFront(footer)
    front.copy(range = front.range.orElse(ofPairs(pairs)), filter = filter(pairs, path))
  }

  /** What it says without its pairs. */
  private[index] def ofFront(footer: ParquetMetadata): KeyFooter =
    KeyFooter(footer.getBlocks.asScala.map(_.getRowCount).sum, ofColumn(footer), None)

  /** What a footer is given to say the same later.
    * @param range    least and greatest key in the order of [[Utf16Order]], if there is a row
    * @param isSorted whether the rows stand in the order of their keys' bytes */
  def pairs(
      filter: FilterText,
      range: Option[(String, String)],
      isSorted: Boolean
  ): Map[String, String] =
    Map(
      FooterKey.bloom -> filter.text,
      FooterKey.bloomType -> filter.typeCode,
      FooterKey.bloomChecksum -> filter.checksum
    ) ++ Option.when(isSorted)(FooterKey.sorted -> FooterKey.byRecordKey) ++
      range.toSeq.flatMap { case (min, max) =>
        Seq(FooterKey.minKey -> min, FooterKey.maxKey -> max)
      }

  /** The filter of a footer, where it fits its checksum. */
  private def filter(pairs: Map[String, String], path: String): Option[BloomFilter] =
    if (hasAlteredFilter(pairs)) None else storedFilter(pairs, path)

  /** The text of a filter that has a checksum and fits it. */
  def checkedFilter(pairs: Map[String, String], path: String): Option[FilterText] =
    for {
      text <- textOf(pairs)
      written <- pairs.get(FooterKey.bloomChecksum)
      if written == checksum(text)
    } yield FilterText(text, typeOf(pairs), written, path)

  /** The same whatever its checksum says. */
  def storedFilter(pairs: Map[String, String], path: String): Option[BloomFilter] =
    textOf(pairs).map(BloomFilter.parse(_, typeOf(pairs), path))

  /** Whether there is one that does not fit its checksum. */
  def hasAlteredFilter(pairs: Map[String, String]): Boolean =
    textOf(pairs).exists(text => pairs.get(FooterKey.bloomChecksum).exists(_ != checksum(text)))

  /** A type code that is not there means SIMPLE. */
  private def typeOf(pairs: Map[String, String]): String =
    pairs.getOrElse(FooterKey.bloomType, BloomFilter.Simple)

  private def textOf(pairs: Map[String, String]): Option[String] =
    pairs.get(FooterKey.bloom).orElse(pairs.get(FooterKey.oldBloom))

  /** Checksum of a filter's text, which is base64. */
  def checksum(filter: String): String = Crc.of(filter.getBytes(ISO_8859_1)).toString

  /** Bounds of the key column as Parquet tells them. */
  def ofColumn(footer: ParquetMetadata): Option[KeyRange] = {
    val ranges = footer.getBlocks.asScala.filter(_.getRowCount > 0).map(ofBlock)
    Option.when(ranges.nonEmpty && ranges.forall(_.nonEmpty)) {
      KeyRange(ranges.flatten.map(_.min).min, ranges.flatten.map(_.max).max)
    }
  }

  /** Bounds of the keys of one row group as Parquet tells them. */
  def ofBlock(block: BlockMetaData): Option[KeyRange] =
    block.getColumns.asScala
      .find(_.getPath.toDotString == MetaFields.RecordKey)
      .flatMap(known)
      .map(s => KeyRange(UTF8String.fromBytes(s.getMinBytes), UTF8String.fromBytes(s.getMaxBytes)))
      .filter(range => range.min.compareTo(range.max) <= 0)

  /** Of a column of texts, whose bounds Parquet gives in the order of their bytes. */
  private def known(column: ColumnChunkMetaData): Option[Statistics[_]] = {
    val isText = column.getPrimitiveType.getLogicalTypeAnnotation match {
      case _: LogicalTypeAnnotation.StringLogicalTypeAnnotation => true
      case _ => false
    }
    Option(column.getStatistics).filter(s => isText && !s.isEmpty && s.hasNonNullValue)
  }

  /** Hudi's own bounds are in the order of UTF-16 units, which from U+D800 on is not that of bytes.
    */
  private[index] def ofPairs(pairs: Map[String, String]): Option[KeyRange] =
    for {
      min <- pairs.get(FooterKey.minKey)
      max <- pairs.get(FooterKey.maxKey)
      if min.compareTo(max) <= 0 && (min + max).forall(_ < Character.MIN_SURROGATE)
    } yield KeyRange(UTF8String.fromString(min), UTF8String.fromString(max))
}
