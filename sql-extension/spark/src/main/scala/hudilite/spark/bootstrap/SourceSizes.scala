package hudilite.spark.bootstrap

import org.apache.spark.sql.classic.SparkSession

import hudilite.error.HudiliteException
import hudilite.sizing.TableSizes
import hudilite.spark.bootstrap.BootstrapSource.ListedFile
import hudilite.timeline.Instant
import hudilite.view.OpenedFile

/** Sizes of the Parquet files of a folder, before a table adopts them. Runs on the driver. */
object SourceSizes {

  /** Files whose footers are read. */
  private val sampled = 8

  /** Lists the files as a bootstrap does, and estimates their rows by the footers of some.
    * @param source path of a folder, or name of a table
    * Errors: those of [[BootstrapSource.of]], also for a footer that cannot be read. */
  def of(session: SparkSession, source: String): TableSizes = {
    val files = BootstrapSource.of(session, source).files
    val some = chosen(files)
    val rows = some.map(rowsOf(session, source, _)).sum
    val share = files.map(_.length).sum.toDouble / some.map(_.length).sum
    TableSizes(files.groupMap(_.folder)(_.length), rows = Some((rows * share).round))
  }

  /** Returns files at equal distances. */
  private def chosen(files: Seq[ListedFile]): Seq[ListedFile] = {
    val all = files.toIndexedSeq
    val count = math.min(sampled, all.size)
    Seq.tabulate(count)(i => all((i.toLong * all.size / count).toInt))
  }

  private def rowsOf(session: SparkSession, source: String, file: ListedFile): Long =
    try
      OpenedFile(file, Instant.bootstrap, session.sessionState.newHadoopConf())(
        _.reader.getRecordCount
      )
    catch {
      case e: HudiliteException =>
        val reason = e.parameters.getOrElse("reason", e.condition)
        val fault = BootstrapSource.invalid(
          source,
          s"its file ${file.path} cannot be read ($reason)",
          "Repair or remove the file."
        )
        throw new HudiliteException(fault.condition, fault.parameters, e)
    }
}
