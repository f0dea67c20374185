package hudilite.spark.bootstrap

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import hudilite.error.HudiliteException
import hudilite.io.Storage
import hudilite.view.StoredFile

/** Source files of a bootstrap, as Spark lists them: hidden and empty files are skipped, and
  * partition columns have the types that Spark infers.
  * @param base             folder that was named, or location of the table that was named
  * @param partitionColumns partition columns of its folders
  * @param files            ordered by path */
final case class BootstrapSource(
    base: Path,
    partitionColumns: StructType,
    files: Seq[BootstrapSource.ListedFile]
)

object BootstrapSource {

  /** Source file from Spark's listing.
    * @param modified modification time, milliseconds since 1970
    * @param values   values of the partition columns
    * @param folder   path of the file's folder: relative to `base` if it is below it, otherwise
    *                 absolute */
  final case class ListedFile(
      path: Path,
      length: Long,
      modified: Long,
      values: InternalRow,
      folder: String
  ) extends StoredFile

  /** Lists the files of a source.
    * @param source path of a folder, or name of a table
    * Errors: HUDILITE_BOOTSTRAP_SOURCE_INVALID if it is not a folder of Parquet files, if it
    * belongs to a table of another format, or if its folders do not form partitions. */
  def of(session: SparkSession, source: String): BootstrapSource = {
    val (base, index) = new SourceLookup(session, source).list()
    val found =
      try
        for {
          folder <- index.listFiles(Nil, Nil)
          file <- folder.files
        } yield ListedFile(
          file.getPath,
          file.getLen,
          file.getModificationTime,
          folder.values,
          below(base, file.getPath.getParent)
        )
      catch { case NonFatal(e) => throw misfit(source, e) }
    if (found.isEmpty) throw empty(session, source, base)
    BootstrapSource(base, index.partitionSchema, found.sortBy(_.path.toString))
  }

  /** Builds HUDILITE_BOOTSTRAP_SOURCE_INVALID.
    * @param reason what is wrong, without a full stop */
  def invalid(source: String, reason: String, fix: String): HudiliteException = HudiliteException(
    "HUDILITE_BOOTSTRAP_SOURCE_INVALID",
    "source" -> source,
    "reason" -> reason,
    "fix" -> fix
  )

  /** Builds the error for a source file that is damaged or not a Parquet file. */
  def unreadable(source: String, path: String, reason: String): HudiliteException = invalid(
    source,
    s"its file $path cannot be read ($reason)",
    "Repair or remove the file, or skip such files with skip_corrupt => true."
  )

  private def below(base: Path, folder: Path): String = {
    val (root, path) = (base.toUri.getPath, folder.toUri.getPath)
    if (path == root) "" else if (path.startsWith(s"$root/")) path.drop(root.length + 1) else path
  }

  /** Builds the error for folders that do not form partitions. */
  def misfit(source: String, e: Throwable): HudiliteException = {
    val line = String.valueOf(e.getMessage).linesIterator.filter(_.trim.nonEmpty).take(1).mkString
    val fault = invalid(
      source,
      s"its folders do not form partitions ($line)",
      "Use the same column=value levels in all folders, or bootstrap one of the folders below."
    )
    new HudiliteException(fault.condition, fault.parameters, e)
  }

  private def empty(session: SparkSession, source: String, base: Path): HudiliteException = {
    val folders = Storage.of(base, session.sessionState.newHadoopConf())
      .list(base)
      .filter(e => e.isDirectory && !"_.".contains(e.name.take(1)))
    folders.headOption.fold(
      invalid(source, "it contains no Parquet file",
        "Check the path of the files. An empty table is " +
          "created with CREATE TABLE.")
    )(folder =>
      invalid(
        source,
        s"its folder ${folder.name} is not named column=value",
        "Write a folder with Parquet files, or with folders of this form."
      )
    )
  }
}
