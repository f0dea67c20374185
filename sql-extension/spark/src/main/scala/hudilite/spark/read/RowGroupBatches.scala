package hudilite.spark.read

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ParquetMetadata}
import org.apache.parquet.io.{DelegatingSeekableInputStream, SeekableInputStream}
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.ColumnarBatch

import hudilite.view.OpenedFile

/** Vectorized reader of one row group of an open file (task side).
  * @param conf     Hadoop configuration; contains the columns to read
  * @param opened   file; it stays open
  * @param rowGroup row group with at least one row
  * @param types    columns whose types in the file are not those to read */
private[read] final class RowGroupBatches(
    settings: BatchSettings,
    conf: Configuration,
    opened: OpenedFile,
    rowGroup: BlockMetaData,
    types: Option[ChangedTypes]
) extends PartitionReader[ColumnarBatch] {
  private val reader = {
    val footer = new ParquetMetadata(opened.reader.getFileMetaData, Seq(rowGroup).asJava)
    val rows = math.min(settings.rows.toLong, rowGroup.getRowCount).toInt
    FileBatches(opened.file, new RowGroupBatches.Shared(opened.stream), footer)
      .open(settings, types.fold(conf)(_.configured(conf)), rows)
  }
  private val batches = {
    val stored = FileBatches.reader(reader)
    types.fold(stored)(_.converted(stored))
  }

  override def next(): Boolean = batches.next()
  override def get(): ColumnarBatch = batches.get()
  override def close(): Unit = batches.close()
}

private object RowGroupBatches {

  /** Stream that stays open when its reader is closed. */
  private final class Shared(stream: SeekableInputStream)
      extends DelegatingSeekableInputStream(stream) {
    override def getPos: Long = stream.getPos
    override def seek(position: Long): Unit = stream.seek(position)
    override def close(): Unit = ()
  }
}
