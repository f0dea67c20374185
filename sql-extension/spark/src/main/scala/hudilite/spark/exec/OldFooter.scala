package hudilite.spark.exec

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.metadata.ParquetMetadata

import hudilite.error.HudiliteException
import hudilite.format.{FooterKey, MetaFields}
import hudilite.spark.write.{CarriedKeys, FooterKeys}
import hudilite.view.{FileSlice, OpenedFile}

/** What the footer of the old base file tells the merge (task side).
  *
  * @param carried keys that its filter and range cover; None where the footer lacks them
  * @param sorted  whether its rows stand in the order of their keys' bytes
  * @param rows    number of its rows
  */
final case class OldFooter(carried: Option[CarriedKeys], sorted: Boolean, rows: Long)

object OldFooter {

  /** A group that has no base file yet. */
  val none: OldFooter = OldFooter(None, sorted = true, 0L)

  /** Reads the footer's key-value pairs.
    *
    * @throws HudiliteException HUDILITE_MISSING_DATA_FILE if the file is gone,
    *                           HUDILITE_PATH_INVALID if this process may not open it,
    *                           HUDILITE_CORRUPT_DATA_FILE if it has no readable footer
    */
  def read(slice: FileSlice, conf: Configuration): OldFooter =
    OpenedFile(slice, conf) { reader =>
      val pairs = reader.getFileMetaData.getKeyValueMetaData.asScala.toMap
      val sorted = FooterKey.isSorted(pairs)
      if (sorted) checkName(reader.getFooter, slice)
      val carried = FooterKeys.carried(pairs, reader.getRecordCount, slice.path.toString)
      OldFooter(carried, sorted, reader.getRecordCount)
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
