package hudilite.spark.read

import java.time.ZoneId

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapred.FileSplit
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.hadoop.mapreduce.{JobID, TaskAttemptID, TaskID, TaskType}
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ParquetMetadata}
import org.apache.parquet.io.{DelegatingSeekableInputStream, SeekableInputStream}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

import hudilite.io.Closing
import hudilite.view.OpenedFile

/** Vectorized reader of one row group of an open file (task side).
  * @param conf     Hadoop configuration; contains the columns to read
  * @param opened   file; it stays open
  * @param rowGroup row group with at least one row */
private[read] final class RowGroupBatches(
    settings: BatchSettings,
    conf: Configuration,
    opened: OpenedFile,
    rowGroup: BlockMetaData
) extends PartitionReader[ColumnarBatch] {
  import RowGroupBatches._

  private val reader = open()

  override def next(): Boolean = reader.nextBatch()
  override def get(): ColumnarBatch = reader.resultBatch()
  override def close(): Unit = reader.close()

  private def open(): VectorizedParquetRecordReader = {
    val of = opened.reader.getFileMetaData
    val pairs = of.getKeyValueMetaData
    val dates = DataSourceUtils.datetimeRebaseSpec(pairs.get, corrected)
    val int96 = DataSourceUtils.int96RebaseSpec(pairs.get, corrected)
    val reader = new VectorizedParquetRecordReader(
      zone(of.getCreatedBy).orNull,
      dates.mode.toString,
      dates.timeZone,
      int96.mode.toString,
      int96.timeZone,
      settings.offHeap,
      math.min(settings.rows.toLong, rowGroup.getRowCount).toInt
    )
    Closing.onFailure(reader) {
      reader.initialize(
        new FileSplit(opened.file.getPath, 0L, opened.file.getLength, Array.empty[String]),
        new TaskAttemptContextImpl(conf, attempt),
        Some(opened.file),
        Some(new Shared(opened.stream)),
        Some(new ParquetMetadata(of, Seq(rowGroup).asJava))
      )
      reader.initBatch(new StructType(), InternalRow.empty)
      reader.enableReturningBatches()
      reader
    }
  }

  /** Time zone to convert INT96 values from, if they are local times; None: no conversion, as for
    * files that parquet-mr wrote. */
  private def zone(writer: String): Option[ZoneId] =
    Option.when(settings.convertsInt96 && !Option(writer).exists(_.startsWith("parquet-mr")))(
      DateTimeUtils.getZoneId(conf.get(SQLConf.SESSION_LOCAL_TIMEZONE.key))
    )
}

/** Session settings of the vectorized reader.
  * @param rows          most rows of a batch
  * @param offHeap       whether vectors are off-heap
  * @param convertsInt96 whether INT96 values are local times in files not written by parquet-mr */
private[read] final case class BatchSettings(rows: Int, offHeap: Boolean, convertsInt96: Boolean)

private[read] object BatchSettings {
  def of(conf: SQLConf): BatchSettings = BatchSettings(
    conf.parquetVectorizedReaderBatchSize,
    conf.offHeapColumnVectorEnabled,
    conf.isParquetINT96TimestampConversion
  )
}

private object RowGroupBatches {
  private val corrected = "CORRECTED"
  private val attempt = new TaskAttemptID(new TaskID(new JobID(), TaskType.MAP, 0), 0)

  /** Stream that stays open when its reader is closed. */
  private final class Shared(stream: SeekableInputStream)
      extends DelegatingSeekableInputStream(stream) {
    override def getPos: Long = stream.getPos
    override def seek(position: Long): Unit = stream.seek(position)
    override def close(): Unit = ()
  }
}
