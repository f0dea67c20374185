package hudilite.spark.bootstrap

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types.StructType

import hudilite.error.HudiliteException
import hudilite.spark.bootstrap.BootstrapSource.ListedFile
import hudilite.spark.read.SliceReader
import hudilite.timeline.Instant
import hudilite.view.OpenedFile

/** Columns of the first source file with rows. Reads footers on the driver. */
object FirstColumns {

  /** Returns the columns of the first readable file with rows, with the partition columns that it
    * contains; of the first readable one, if none has rows. A file without rows may lack the types of its
    * columns: pandas writes them from its values.
    * An unreadable file before it is an error, unless `skip_corrupt` or `dry_run` is set.
    * Errors: HUDILITE_BOOTSTRAP_SOURCE_INVALID. */
  def of(
      request: BootstrapRequest,
      files: Seq[ListedFile],
      conf: Configuration
  ): StructType = {
    val skipsUnreadable = request.skipsCorrupt || request.isDryRun
    val readable = files.to(LazyList).map(read(request, _, conf)).flatMap {
      case Left(fault) if !skipsUnreadable => throw fault
      case found => found.toOption
    }
    val found = readable.find(_.hasRows).orElse(readable.headOption)
    found.map(_.columns).getOrElse(throw BootstrapSource.invalid(
      request.source,
      "none of its files can be read as Parquet",
      "Write a folder with Parquet files."
    ))
  }

  private final case class Footer(columns: StructType, hasRows: Boolean)

  private def read(
      request: BootstrapRequest,
      file: ListedFile,
      conf: Configuration
  ): Either[Throwable, Footer] = {
    def footer(opened: OpenedFile) = Footer(
      SliceReader.columnsOf(opened.reader.getFileMetaData.getSchema),
      opened.reader.getRecordCount > 0
    )
    try Right(OpenedFile(file, Instant.bootstrap, conf)(footer))
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
