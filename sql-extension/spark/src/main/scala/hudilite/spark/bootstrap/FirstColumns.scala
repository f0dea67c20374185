package hudilite.spark.bootstrap

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types.StructType

import hudilite.error.HudiliteException
import hudilite.spark.bootstrap.BootstrapSource.ListedFile
import hudilite.spark.read.SliceReader
import hudilite.timeline.Instant
import hudilite.view.OpenedFile

/** Columns of the first readable source file. Reads footers on the driver. */
object FirstColumns {

  /** Returns the columns of the first readable file, with the partition columns that it contains.
    * An unreadable file before it is an error, unless `skip_corrupt` or `dry_run` is set.
    * Errors: HUDILITE_BOOTSTRAP_SOURCE_INVALID. */
  def of(
      request: BootstrapRequest,
      files: Seq[ListedFile],
      conf: Configuration
  ): StructType = {
    val skipsUnreadable = request.skipsCorrupt || request.isDryRun
    val tries = files.iterator.map(columnsOf(request, _, conf))
    tries.collectFirst {
      case Right(found) => found
      case Left(fault) if !skipsUnreadable => throw fault
    }.getOrElse(throw BootstrapSource.invalid(
      request.source,
      "none of its files can be read as Parquet",
      "Write a folder with Parquet files."
    ))
  }

  private def columnsOf(
      request: BootstrapRequest,
      file: ListedFile,
      conf: Configuration
  ): Either[Throwable, StructType] = {
    def read(opened: OpenedFile) =
      SliceReader.columnsOf(opened.reader.getFileMetaData.getSchema)
    try Right(OpenedFile(file, Instant.bootstrap, conf)(read))
    catch {
      case e @ (_: HudiliteException | _: AnalysisException) =>
        Left(unreadable(request, file.path.toString, e))
    }
  }

  private def unreadable(
      request: BootstrapRequest,
      path: String,
      cause: Throwable
  ): HudiliteException = {
    val reason = HudiliteException.find(cause).flatMap(_.parameters.get("reason"))
      .getOrElse(String.valueOf(cause.getMessage))
    val fault = BootstrapSource.unreadable(request.source, path, reason)
    new HudiliteException(fault.condition, fault.parameters, cause)
  }
}
