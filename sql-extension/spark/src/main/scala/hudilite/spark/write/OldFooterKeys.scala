package hudilite.spark.write

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.metadata.ParquetMetadata

import hudilite.index.{FilterText, KeyFooter, KeyRange}
import hudilite.view.{FileSlice, OpenedFile}

/** Facts of the record keys of an old base file, from its footer (task side).
  * @param pairs   key-value pairs
  * @param rows    number of rows
  * @param columns bounds of the keys from Parquet's statistics
  * @param path    file of the footer, for messages */
final case class OldFooterKeys(
    pairs: Map[String, String],
    rows: Long,
    columns: Option[KeyRange],
    path: String
) {

  /** Whether there is a bloom filter, sound or not. */
  def hasFilter: Boolean = KeyFooter.hasFilter(pairs)

  /** Returns the filter if its bits can be taken over. One without a checksum comes from another
    * writer and may be damaged; one that has grown too often is rebuilt for the number of keys.
    * Errors: HUDILITE_CORRUPT_DATA_FILE. */
  def sound: Option[FilterText] =
    KeyFooter.checkedFilter(pairs, path).filter(_.rowCount <= OldFooterKeys.mostFilterRows)

  /** Returns Hudi's least and greatest key, None if one of them is missing. */
  def range: Option[(String, String)] = KeyFooter.bounds(pairs)

  /** Returns least and greatest key from Parquet's statistics, or else Hudi's. */
  def rangeOfColumn: Option[(String, String)] =
    columns.flatMap(KeyFooter.inUtf16Order).orElse(range)
}

object OldFooterKeys {

  /** Maximum rows of a filter that is taken over. */
  private val mostFilterRows = 8

  /** Whether the base file of a slice has a bloom filter; false if there is no base. Reads its footer.
    * Errors: HUDILITE_MISSING_DATA_FILE, HUDILITE_CORRUPT_DATA_FILE. */
  def hasFilter(slice: FileSlice, conf: Configuration): Boolean =
    slice.withoutLogs.exists { base =>
      OpenedFile(base, conf)(opened => of(opened.reader.getFooter, base.path.toString).hasFilter)
    }

  /** Returns the facts of a footer. */
  def of(footer: ParquetMetadata, path: String): OldFooterKeys = OldFooterKeys(
    footer.getFileMetaData.getKeyValueMetaData.asScala.toMap,
    footer.getBlocks.asScala.map(_.getRowCount).sum,
    KeyFooter.ofColumn(footer),
    path
  )
}
