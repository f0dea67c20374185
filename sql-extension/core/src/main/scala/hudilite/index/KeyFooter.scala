package hudilite.index

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData, ParquetMetadata}
import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{Crc, FooterKey, MetaFields}

/** Facts about the record keys in the footer of a base file. Source: hudi-format §4.6, §4.7.
  * @param rows   number of rows of the file
  * @param range  bounds of the keys in the order of their bytes, None if unknown
  * @param filter None if it is absent or does not match its checksum */
final case class KeyFooter(
    rows: Long,
    range: Option[KeyRange],
    filter: Option[BloomFilter]
)

object KeyFooter {
  private val pieceChars = 1 << 16 // of a text that is checked in pieces

  /** Returns the facts in a footer.
    * @param path file of the footer, for messages
    * Errors: HUDILITE_CORRUPT_DATA_FILE for a malformed filter. */
  def of(footer: ParquetMetadata, path: String): KeyFooter = {
    val pairs = footer.getFileMetaData.getKeyValueMetaData.asScala.toMap
    val front = ofFront(footer)
    front.copy(range = front.range.orElse(ofPairs(pairs)), filter = filter(pairs, path))
  }

  /** Returns the facts that do not need the footer's key-value pairs. */
  private[index] def ofFront(footer: ParquetMetadata): KeyFooter =
    KeyFooter(footer.getBlocks.asScala.map(_.getRowCount).sum, ofColumn(footer), None)

  /** Returns the key-value pairs that a footer needs for these facts.
    * @param filter   None for a file without one
    * @param range    least and greatest key in the order of [[Utf16Order]], None without rows
    * @param isSorted whether the rows are in the order of their keys' bytes */
  def pairs(
      filter: Option[FilterText],
      range: Option[(String, String)],
      isSorted: Boolean
  ): Map[String, String] =
    filter.fold(Map.empty[String, String])(of =>
      Map(
        FooterKey.bloom -> of.text,
        FooterKey.bloomType -> of.typeCode,
        FooterKey.bloomChecksum -> of.checksum
      )
    ) ++ Option.when(isSorted)(FooterKey.sorted -> FooterKey.byRecordKey) ++
      range.toSeq.flatMap { case (min, max) =>
        Seq(FooterKey.minKey -> min, FooterKey.maxKey -> max)
      }

  /** Returns the filter of a footer, None if it does not match its checksum. */
  private def filter(pairs: Map[String, String], path: String): Option[BloomFilter] =
    if (hasAlteredFilter(pairs)) None else storedFilter(pairs, path)

  /** Returns the text of a filter, None unless it has a checksum and matches it. */
  def checkedFilter(pairs: Map[String, String], path: String): Option[FilterText] =
    for {
      text <- textOf(pairs)
      written <- pairs.get(FooterKey.bloomChecksum)
      if written == checksum(text)
    } yield FilterText(text, typeOf(pairs), written, path)

  /** Returns the filter of a footer, even if it does not match its checksum. */
  def storedFilter(pairs: Map[String, String], path: String): Option[BloomFilter] =
    textOf(pairs).map(BloomFilter.parse(_, typeOf(pairs), path))

  /** Whether there is a filter that does not match its checksum. */
  def hasAlteredFilter(pairs: Map[String, String]): Boolean =
    textOf(pairs).exists(text => pairs.get(FooterKey.bloomChecksum).exists(_ != checksum(text)))

  /** Whether there is a filter, sound or not. */
  def hasFilter(pairs: Map[String, String]): Boolean = textOf(pairs).nonEmpty

  /** Returns Hudi's least and greatest key, None if one of them is missing. */
  def bounds(pairs: Map[String, String]): Option[(String, String)] =
    pairs.get(FooterKey.minKey).zip(pairs.get(FooterKey.maxKey))

  /** Returns bounds in the order of [[Utf16Order]] for keys between bounds in that of bytes; None if
    * the orders may differ at one of them. */
  def inUtf16Order(range: KeyRange): Option[(String, String)] =
    Option.when(!Utf16Order.mayTurn(range.min) && !Utf16Order.mayTurn(range.max)) {
      (range.min.toString, range.max.toString)
    }

  /** Returns the type code of the filter. Without one, the filter is SIMPLE. */
  private def typeOf(pairs: Map[String, String]): String =
    pairs.getOrElse(FooterKey.bloomType, BloomFilter.Simple)

  private def textOf(pairs: Map[String, String]): Option[String] =
    pairs.get(FooterKey.bloom).orElse(pairs.get(FooterKey.oldBloom))

  /** Returns the checksum of a filter's text, which is base64. */
  def checksum(filter: String): String =
    Crc.of(filter.grouped(pieceChars).map(_.getBytes(ISO_8859_1))).toString

  /** Returns the bounds of the key column from Parquet's statistics, None if a row group lacks
    * them. */
  def ofColumn(footer: ParquetMetadata): Option[KeyRange] = {
    val ranges = footer.getBlocks.asScala.filter(_.getRowCount > 0).map(ofBlock)
    Option.when(ranges.nonEmpty && ranges.forall(_.nonEmpty)) {
      KeyRange(ranges.flatten.map(_.min).min, ranges.flatten.map(_.max).max)
    }
  }

  /** Returns the bounds of the keys of one row group from Parquet's statistics. */
  def ofBlock(block: BlockMetaData): Option[KeyRange] =
    block.getColumns.asScala
      .find(_.getPath.toDotString == MetaFields.RecordKey)
      .flatMap(known)
      .map(s => KeyRange(UTF8String.fromBytes(s.getMinBytes), UTF8String.fromBytes(s.getMaxBytes)))
      .filter(range => range.min.compareTo(range.max) <= 0)

  /** Returns the statistics of a string column, whose bounds Parquet has in the order of their
    * bytes; None for any other column. */
  private def known(column: ColumnChunkMetaData): Option[Statistics[_]] = {
    val isText = column.getPrimitiveType.getLogicalTypeAnnotation match {
      case _: LogicalTypeAnnotation.StringLogicalTypeAnnotation => true
      case _ => false
    }
    Option(column.getStatistics).filter(s => isText && !s.isEmpty && s.hasNonNullValue)
  }

  /** Returns Hudi's own bounds, unless a key has a character from U+D800 on. They are in the order
    * of UTF-16 code units, which from there on is not that of bytes. */
  private[index] def ofPairs(pairs: Map[String, String]): Option[KeyRange] =
    for {
      (min, max) <- bounds(pairs)
      if min.compareTo(max) <= 0 && (min + max).forall(_ < Character.MIN_SURROGATE)
    } yield KeyRange(UTF8String.fromString(min), UTF8String.fromString(max))
}
