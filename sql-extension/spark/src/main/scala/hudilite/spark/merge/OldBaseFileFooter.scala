package hudilite.spark.merge

import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.metadata.ParquetMetadata

import hudilite.error.HudiliteException
import hudilite.format.{FooterKey, MetaFields}
import hudilite.spark.write.{CarriedKeys, FooterKeys}
import hudilite.view.FileSlice

/** Facts of an old base file's footer for the merge (task side).
  *
  * @param carried bloom filter and key range to carry over; None if the new footer needs all keys
  *                again: the old one lacks a range or a filter with a valid checksum, or its filter
  *                has grown too often
  * @param sorted  whether the rows are in the order of their keys' bytes
  */
final case class OldBaseFileFooter(carried: Option[CarriedKeys], sorted: Boolean)

object OldBaseFileFooter {

  /** Reads the footer's key-value pairs.
    *
    * @throws HudiliteException HUDILITE_CORRUPT_DATA_FILE if they are inconsistent
    */
  def of(slice: FileSlice, footer: ParquetMetadata): OldBaseFileFooter = {
    val pairs = footer.getFileMetaData.getKeyValueMetaData.asScala.toMap
    val sorted = FooterKey.isSorted(pairs)
    if (sorted) checkName(footer, slice)
    val rows = footer.getBlocks.asScala.map(_.getRowCount).sum
    OldBaseFileFooter(FooterKeys.carried(pairs, rows, slice.path.toString), sorted)
  }

  /** Rejects a file stored under another file's name: its keys are those of another bucket. Checks
    * sorted files only. Files of older releases of stock Hudi may contain the names of earlier
    * versions; files of hudilite never do.
    */
  private def checkName(footer: ParquetMetadata, slice: FileSlice): Unit =
    footer.getBlocks.asScala
      .flatMap(_.getColumns.asScala)
      .filter(_.getPath.toDotString == MetaFields.FileName)
      .map(_.getStatistics)
      .filter(_.hasNonNullValue)
      .flatMap(of => Seq(of.minAsString, of.maxAsString))
      .find(_ != slice.fileName)
      .foreach { name =>
        throw HudiliteException(
          "HUDILITE_CORRUPT_DATA_FILE",
          "path" -> slice.path.toString,
          "reason" -> s"its rows contain the file name $name"
        )
      }
}
