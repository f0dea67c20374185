package hudilite.spark.read

import java.time.ZoneId

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapred.{FileSplit, JobConf}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.hadoop.mapreduce.{JobID, TaskAttemptID, TaskID, TaskType}
import org.apache.parquet.filter2.predicate.FilterPredicate
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.SeekableInputStream
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetOptions,
  VectorizedParquetRecordReader
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

import hudilite.io.Closing

/** Rows of an open Parquet file, for Spark's vectorized reader (task side).
  * @param file   Parquet's handle of the file
  * @param stream its input, which the reader closes
  * @param footer the row groups to read
  * @param filter condition that may skip row groups and pages */
private[read] final case class FileBatches(
    file: HadoopInputFile,
    stream: SeekableInputStream,
    footer: ParquetMetadata,
    filter: Option[FilterPredicate] = None
) {
  import FileBatches._

  /** Opens the reader; if that fails, closes the input.
    * @param conf Hadoop configuration; contains the columns to read. A JobConf is not copied
    * @param rows most rows of a batch */
  def open(
      settings: BatchSettings,
      conf: Configuration,
      rows: Int
  ): VectorizedParquetRecordReader = {
    val of = footer.getFileMetaData
    val pairs = of.getKeyValueMetaData
    val dates = DataSourceUtils.datetimeRebaseSpec(pairs.get, settings.dates)
    val int96 = DataSourceUtils.int96RebaseSpec(pairs.get, settings.int96)
    val reader = new VectorizedParquetRecordReader(
      zone(settings, conf, of.getCreatedBy).orNull,
      dates.mode.toString,
      dates.timeZone,
      int96.mode.toString,
      int96.timeZone,
      settings.offHeap,
      rows
    )
    Closing.onFailure(stream)(Closing.onFailure(reader) {
      reader.initialize(split, context(conf), Some(file), Some(stream), Some(footer))
      reader.initBatch(new StructType(), InternalRow.empty)
      reader
    })
  }

  private def split = new FileSplit(file.getPath, 0L, file.getLength, Array.empty[String])

  private def context(conf: Configuration): TaskAttemptContextImpl = {
    val own = filter.fold(conf) { predicate =>
      val filtered = new JobConf(conf)
      ParquetInputFormat.setFilterPredicate(filtered, predicate)
      filtered
    }
    new TaskAttemptContextImpl(own, attempt) // copies what is no JobConf
  }
}

private[read] object FileBatches {

  /** Returns a reader of the batches of Parquet's reader. */
  def reader(batches: VectorizedParquetRecordReader): PartitionReader[ColumnarBatch] = {
    batches.enableReturningBatches()
    new PartitionReader[ColumnarBatch] {
      override def next(): Boolean = batches.nextBatch()
      override def get(): ColumnarBatch = batches.resultBatch()
      override def close(): Unit = batches.close()
    }
  }

  private val attempt = new TaskAttemptID(new TaskID(new JobID(), TaskType.MAP, 0), 0)

  /** Time zone to convert INT96 values from, if they are local times; None: no conversion, as for
    * files that parquet-mr wrote. */
  private def zone(settings: BatchSettings, conf: Configuration, writer: String): Option[ZoneId] =
    Option.when(settings.convertsInt96 && !Option(writer).exists(_.startsWith("parquet-mr")))(
      DateTimeUtils.getZoneId(conf.get(SQLConf.SESSION_LOCAL_TIMEZONE.key))
    )
}

/** Settings of the vectorized reader.
  * @param rows          most rows of a batch
  * @param inOneBatch    most values of a log file's block that are in one batch
  * @param offHeap       whether vectors are off-heap
  * @param convertsInt96 whether INT96 values are local times in files not written by parquet-mr
  * @param dates         calendar of dates and timestamps in files that do not record it
  * @param int96         that of INT96 values */
private[read] final case class BatchSettings(
    rows: Int,
    inOneBatch: Int,
    offHeap: Boolean,
    convertsInt96: Boolean,
    dates: String,
    int96: String
)

private[read] object BatchSettings {

  /** Reads the session's settings and the options of the statement. */
  def of(conf: SQLConf, options: ParquetOptions): BatchSettings = BatchSettings(
    conf.parquetVectorizedReaderBatchSize,
    256 * conf.parquetVectorizedReaderBatchSize,
    conf.offHeapColumnVectorEnabled,
    conf.isParquetINT96TimestampConversion,
    options.datetimeRebaseModeInRead,
    options.int96RebaseModeInRead
  )
}
