package hudilite.procedures

import java.io.IOException

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{
  CatalogFileIndex,
  FileIndex,
  HadoopFsRelation,
  InMemoryFileIndex,
  LogicalRelation
}
import org.apache.spark.sql.types.StructType

import hudilite.error.HudiliteException
import hudilite.io.Storage

/** Source files of a bootstrap, as Spark lists them: hidden and empty files are skipped, and
  * partition columns have the types that Spark infers.
  * @param base             folder that was named, or location of the table that was named
  * @param partitionColumns partition columns of its folders
  * @param files            ordered by path */
private[procedures] final case class BootstrapSource(
    base: Path,
    partitionColumns: StructType,
    files: Seq[BootstrapSource.Listed]
)

private[procedures] object BootstrapSource {

  /** Source file from Spark's listing.
    * @param modified modification time, milliseconds since 1970
    * @param values   values of the partition columns
    * @param folder   path of the file's folder: relative to `base` if it is below it, otherwise
    *                 absolute */
  final case class Listed(
      path: Path,
      length: Long,
      modified: Long,
      values: InternalRow,
      folder: String
  )

  /** Lists the files of a source.
    * @param source path of a folder, or name of a table
    * Errors: HUDILITE_BOOTSTRAP_SOURCE_INVALID if it is not a folder of Parquet files, if it
    * belongs to a table of another format, or if its folders do not form partitions. */
  def of(session: SparkSession, source: String): BootstrapSource = {
    val (base, index) = new Lookup(session, source).found
    val found =
      try
        for {
          folder <- index.listFiles(Nil, Nil)
          file <- folder.files
        } yield Listed(
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
    "Mend or remove the file, or write skip_corrupt => true to leave such files out."
  )

  private def below(base: Path, folder: Path): String = {
    val (root, path) = (base.toUri.getPath, folder.toUri.getPath)
    if (path == root) "" else if (path.startsWith(s"$root/")) path.drop(root.length + 1) else path
  }

  private def misfit(source: String, e: Throwable): HudiliteException = {
    val line = String.valueOf(e.getMessage).linesIterator.filter(_.trim.nonEmpty).take(1).mkString
    val told = invalid(
      source,
      s"its folders do not make partitions ($line)",
      "Give all of them the same column=value levels, or name one folder below."
    )
    new HudiliteException(told.condition, told.parameters, e)
  }

  private def empty(session: SparkSession, source: String, base: Path): HudiliteException = {
    val folders = Storage.of(base, session.sessionState.newHadoopConf())
      .list(base)
      .filter(e => e.isDirectory && !"_.".contains(e.name.take(1)))
    folders.headOption.fold(
      invalid(source, "it holds no Parquet file",
        "Create the table with CREATE TABLE, or look up " +
          "where the files lie.")
    )(folder =>
      invalid(
        source,
        s"its folder ${folder.name} is not named column=value",
        "Name a folder with Parquet files, or with folders that are named so."
      )
    )
  }

  /** Lookup of a source: by path if the text has a slash, otherwise by table name. */
  private final class Lookup(session: SparkSession, source: String) {
    private val conf = session.sessionState.newHadoopConf()

    def found: (Path, FileIndex) =
      parts match {
        case Some(Seq("parquet", path)) if path.contains("/") => folder(path)
        case Some(names) if !source.contains("/") => table(names)
        case _ => folder(source)
      }

    private def parts: Option[Seq[String]] =
      try Some(session.sessionState.sqlParser.parseMultipartIdentifier(source))
      catch { case _: ParseException => None }

    private def folder(path: String): (Path, FileIndex) = {
      val base =
        try Storage.qualified(new Path(path), conf)
        catch {
          case e @ (_: IllegalArgumentException | _: IOException) =>
            throw invalid(source, s"it cannot be opened (${e.getMessage})", "Write another path.")
        }
      val storage = Storage.of(base, conf)
      storage.status(base) match {
        case None => throw invalid(source, "it is not there", "Look up its path.")
        case Some(file) if !file.isDirectory =>
          throw invalid(source, "it is a file", "Name the folder that it lies in.")
        case Some(_) => checkForeign(storage, base)
      }
      val index =
        try {
          val listed = new InMemoryFileIndex(session, Seq(base), Map.empty, None)
          listed.partitionSpec(): Unit
          listed
        } catch { case NonFatal(e) => throw misfit(source, e) }
      (base, index)
    }

    private def table(names: Seq[String]): (Path, FileIndex) = {
      val name = names.mkString(".")
      val exists = session.catalog.tableExists(names.map(n => s"`$n`").mkString("."))
      if (!exists)
        throw invalid(source, "there is no such table",
          "Name a table, or a folder with a slash in it.")
      EliminateSubqueryAliases(session.table(names.map(n => s"`$n`").mkString("."))
        .queryExecution.analyzed) match {
        case LogicalRelation(files: HadoopFsRelation, _, entry, _, _)
            if files.fileFormat.isInstanceOf[ParquetFileFormat] =>
          val index = files.location match {
            case catalog: CatalogFileIndex => catalog.filterPartitions(Nil)
            case other => other
          }
          val base = entry.fold(index.rootPaths.head)(e => new Path(e.location))
          checkForeign(Storage.of(base, conf), base)
          (base, index)
        case _ =>
          throw invalid(
            source,
            s"table $name is not kept as Parquet files of Spark's",
            "Name a Parquet table, or the folder of its files; other tables come over with " +
              "CREATE TABLE ... USING hudilite AS SELECT."
          )
      }
    }

    /** Fails for a folder of a Hudi, Delta or Iceberg table: only the table's own metadata records
      * which files are current. */
    private def checkForeign(storage: Storage, base: Path): Unit = {
      val above = Iterator.iterate(Option(base))(_.flatMap(p => Option(p.getParent)))
        .takeWhile(_.nonEmpty).flatten.toSeq
      def holds(folder: Path, name: String) =
        storage.status(Storage.resolve(folder, name)).exists(_.isDirectory)
      def isIceberg(folder: Path) =
        storage.names(Storage.resolve(folder, "metadata")).exists(_.endsWith(".metadata.json"))
      val owner = above.collectFirst {
        case folder if holds(folder, ".hoodie") => ("Hudi", folder)
        case folder if holds(folder, "_delta_log") => ("Delta", folder)
        case folder if isIceberg(folder) => ("Iceberg", folder)
      }
      owner.foreach { case (format, folder) =>
        throw invalid(
          source,
          s"the files in $folder are those of a table of $format",
          if (format == "Hudi") "Name it with CREATE TABLE ... USING hudilite LOCATION."
          else "Copy its rows with CREATE TABLE ... USING hudilite AS SELECT."
        )
      }
    }
  }
}
