package hudilite.spark.bootstrap

import java.io.IOException

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
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

import hudilite.io.Storage
import hudilite.spark.catalog.ForeignTable
import hudilite.timeline.TimelineFiles

/** Lookup of a source: by path if the text has a slash, otherwise by table name. */
final class SourceLookup(session: SparkSession, source: String) {
  import BootstrapSource.{invalid, misfit}

  private val conf = session.sessionState.newHadoopConf()

  /** Returns the folder of the source, and its listing.
    * Errors: HUDILITE_BOOTSTRAP_SOURCE_INVALID. */
  def list(): (Path, FileIndex) =
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
      case None => throw invalid(source, "it does not exist", "Check the path.")
      case Some(file) if !file.isDirectory =>
        throw invalid(source, "it is a file", "Write the folder that contains the file.")
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
        "Write the name of a table, or a folder that contains a slash.")
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
          s"table $name is not a Parquet table of Spark",
          "Write a Parquet table or the folder of its files. Copy other tables with " +
            "CREATE TABLE ... USING hudilite AS SELECT."
        )
    }
  }

  /** Fails for a folder of a Hudi, Delta or Iceberg table: only the table's own metadata records
    * which files are current. */
  private def checkForeign(storage: Storage, base: Path): Unit = {
    val owner = ForeignTable.above(base).flatMap { folder =>
      if (TimelineFiles.isTable(storage, folder)) Some("Hudi" -> folder)
      else ForeignTable.in(storage, folder).map(_.project -> folder)
    }.nextOption()
    owner.foreach { case (format, folder) =>
      throw invalid(
        source,
        s"the files in $folder belong to a table of format $format",
        if (format == "Hudi") "Use this table: CREATE TABLE name USING hudilite LOCATION '...'."
        else "Copy its rows with CREATE TABLE ... USING hudilite AS SELECT ..."
      )
    }
  }
}
