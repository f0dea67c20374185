package hudilite.spark.merge

import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.metadata.ParquetMetadata

import hudilite.error.HudiliteException
import hudilite.format.{FooterKey, MetaFields}
import hudilite.spark.write.OldFooterKeys
import hudilite.view.FileSlice

/** Facts of an old base file's footer for the merge (task side).
  *
  * @param keys   what it says of the record keys
  * @param sorted whether the rows are in the order of their keys' bytes
  */
final case class OldBaseFileFooter(keys: OldFooterKeys, sorted: Boolean)

object OldBaseFileFooter {

  /** Reads the footer's key-value pairs.
    *
    * @throws HudiliteException HUDILITE_CORRUPT_DATA_FILE if they are inconsistent
    */
  def of(slice: FileSlice, footer: ParquetMetadata): OldBaseFileFooter = {
    val keys = OldFooterKeys.of(footer, slice.path.toString)
    val sorted = FooterKey.isSorted(keys.pairs)
    if (sorted) checkName(footer, slice)
    OldBaseFileFooter(keys, sorted)
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
