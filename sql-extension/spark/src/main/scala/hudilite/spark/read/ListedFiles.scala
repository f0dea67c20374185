package hudilite.spark.read

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapred.JobConf
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetUtils,
  VectorizedParquetRecordReader
}
import org.apache.spark.sql.execution.datasources.v2.PartitionReaderWithPartitionValues
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetPartitionReaderFactory
import org.apache.spark.sql.vectorized.ColumnarBatch

import hudilite.io.Closing
import hudilite.view.{OpenedFile, SliceBase}

/** Factory of Spark's Parquet readers for files of a table and source files of a bootstrap, whose
  * length is known and which never change: they are opened without another look-up, and read with
  * few requests. Columns whose types in the table have changed are converted.
  * Columns that the vectorized reader does not read are read as Spark's own factory does.
  * @param plain Spark's factory for the same columns and filters */
private[read] final class ListedFiles(plain: ParquetPartitionReaderFactory)
    extends ParquetPartitionReaderFactory(
      plain.sqlConf,
      plain.broadcastedConf,
      plain.dataSchema,
      plain.readDataSchema,
      plain.partitionSchema,
      plain.filters,
      plain.aggregation,
      plain.options
    ) {
  // Computed on the driver: the session's settings are not sent to tasks.
  private val settings = BatchSettings.of(sqlConf, options)
  private val groupFilters = RowGroupFilters.of(sqlConf, filters.toSeq, dataSchema)
  private val isVectorized = ParquetUtils.isBatchReadSupportedForSchema(sqlConf, readDataSchema)
  private val isCaseSensitive = sqlConf.caseSensitiveAnalysis

  /** Spark's factories with filters that Parquet evaluates as Spark does, by whether a file's bounds tell of
    * NaN. They read its settings when they are made. */
  private val byRow: Map[Boolean, ParquetPartitionReaderFactory] =
    if (isVectorized) Map.empty
    else
      Seq(true, false).map { knowsNaN =>
        val exact = filters.filterNot(MillisFilters.isRounded)
        knowsNaN -> plain.copy(filters = exact.flatMap(FloatingFilters.of(_, knowsNaN)))
      }.toMap

  override def buildReader(file: PartitionedFile): PartitionReader[InternalRow] = {
    val found = open(file)
    Closing.onFailure(found)(typesOf(found)) match {
      case Some(types) => types.rows(FileBatches.reader(vectors(found, Some(types))))
      case None if isVectorized =>
        new PartitionReaderWithPartitionValues(
          new ListedFiles.Values[InternalRow](vectors(found, None)),
          readDataSchema,
          partitionSchema,
          file.partitionValues
        )
      case None =>
        val knowsNaN = FileWriter.isTrusted(found.reader.getFileMetaData)
        found.close()
        byRow(knowsNaN).buildReader(file)
    }
  }

  override def buildColumnarReader(file: PartitionedFile): PartitionReader[ColumnarBatch] = {
    val found = open(file)
    val types = Closing.onFailure(found)(typesOf(found))
    val batches = FileBatches.reader(vectors(found, types))
    types.fold(batches)(_.converted(batches))
  }

  private def open(file: PartitionedFile): OpenedFile = {
    val stored = SliceBase.BaseFile(file.toPath, file.fileSize)
    OpenedFile.ofRange(stored, file.start, file.start + file.length, conf)
  }

  private def typesOf(found: OpenedFile): Option[ChangedTypes] =
    ChangedTypes.of(found.reader.getFileMetaData.getSchema, readDataSchema, isCaseSensitive)

  private def vectors(
      found: OpenedFile,
      types: Option[ChangedTypes]
  ): VectorizedParquetRecordReader = Closing.onFailure(found) {
    val filter = groupFilters.predicate(found.reader.getFileMetaData, settings.dates)
    FileBatches(found.file, found.released(), found.reader.getFooter, filter)
      .open(settings, types.fold(conf)(_.configured(conf)), settings.rows)
  }

  /** One copy for all files of a task, in which nothing is set. */
  @transient private lazy val conf: Configuration = new JobConf(broadcastedConf.value.value)
}

private object ListedFiles {

  /** Reader of the values of a reader of Parquet's. */
  private final class Values[T](reader: VectorizedParquetRecordReader)
      extends PartitionReader[T] {
    override def next(): Boolean = reader.nextKeyValue()
    override def get(): T = reader.getCurrentValue.asInstanceOf[T]
    override def close(): Unit = reader.close()
  }
}
