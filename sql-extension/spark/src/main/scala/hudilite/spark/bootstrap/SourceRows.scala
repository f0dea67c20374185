package hudilite.spark.bootstrap

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation, PartitionDirectory}
import org.apache.spark.sql.types.StructType

import hudilite.spark.bootstrap.BootstrapSource.ListedFile

/** Rows of source files, with the values of the partition columns. */
private[bootstrap] object SourceRows {

  /** Returns the rows.
    * @param columns columns of the files, without partition columns */
  def of(
      session: SparkSession,
      source: BootstrapSource,
      files: Seq[ListedFile],
      columns: StructType
  ): DataFrame = session.baseRelationToDataFrame(
    HadoopFsRelation(
      new FixedFiles(source, files),
      source.partitionColumns,
      columns,
      None,
      new ParquetFileFormat,
      strict
    )(session)
  )

  /** Options that prevail over settings of the session with which Spark passes over files, or the rest of
    * a file: the rows would be lost. */
  private val strict = Map("ignoreCorruptFiles" -> "false", "ignoreMissingFiles" -> "false")

  /** File index over a fixed list of files, so that changes in the source's folder after the
    * listing have no effect on which files are read. */
  private final class FixedFiles(source: BootstrapSource, files: Seq[ListedFile])
      extends FileIndex {
    override def rootPaths: Seq[Path] = Seq(source.base)
    override def listFiles(
        partitionFilters: Seq[Expression],
        dataFilters: Seq[Expression]
    ): Seq[PartitionDirectory] =
      files.groupBy(_.values).toSeq.map { case (values, of) =>
        PartitionDirectory(
          values,
          of.map(f => new FileStatus(f.length, false, 1, 0, f.modified, f.path)).toArray
        )
      }
    override def inputFiles: Array[String] = files.map(_.path.toString).toArray
    override def refresh(): Unit = ()
    override def sizeInBytes: Long = files.map(_.length).sum
    override def partitionSchema: StructType = source.partitionColumns
  }
}
