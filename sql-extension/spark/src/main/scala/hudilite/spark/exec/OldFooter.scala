package hudilite.spark.exec

import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.metadata.ParquetMetadata

import hudilite.error.HudiliteException
import hudilite.format.{FooterKey, MetaFields}
import hudilite.spark.write.{CarriedKeys, FooterKeys}
import hudilite.view.FileSlice

/** What the footer of the old base file tells the merge (task side).
  *
  * @param carried keys that its filter and range cover; None where the footer lacks them
  * @param sorted  whether its rows stand in the order of their keys' bytes
  */
final case class OldFooter(carried: Option[CarriedKeys], sorted: Boolean)

object OldFooter {

  /** Takes the footer's key-value pairs in.
    *
    * @throws HudiliteException HUDILITE_CORRUPT_DATA_FILE if they make no sense
    */
  def of(slice: FileSlice, footer: ParquetMetadata): OldFooter = {
    val pairs = footer.getFileMetaData.getKeyValueMetaData.asScala.toMap
    val sorted = FooterKey.isSorted(pairs)
    if (sorted) checkName(footer, slice)
    val rows = footer.getBlocks.asScala.map(_.getRowCount).sum
    OldFooter(FooterKeys.carried(pairs, rows, slice.path.toString), sorted)
  }

  /** Refuses a file that lies under another's name: its keys are of another bucket. Files of older
    * releases of stock Hudi may carry the names of earlier versions; ours never do.
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
          "reason" -> s"its rows say that they lie in $name"
        )
      }
}
