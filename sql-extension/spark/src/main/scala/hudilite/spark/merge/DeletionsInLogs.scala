package hudilite.spark.merge

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.column.statistics.BooleanStatistics
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.spark.sql.catalyst.expressions.Attribute

import hudilite.format.{LogBlock, LogFileBlocks, MergeOrder}
import hudilite.io.Storage
import hudilite.spark.read.ParquetBlock
import hudilite.view.{FileSlice, LogFile}

/** Search for deletions in the log files of a slice (task side). */
private[merge] object DeletionsInLogs {

  /** Whether log files of a slice may have deleted a row of its base. Reads the log files.
    * @param columns columns of the table
    * Errors: those of [[LogFileBlocks]] and [[ParquetBlock]]. */
  def mayBe(
      slice: FileSlice,
      columns: Seq[Attribute],
      storage: Storage,
      conf: Configuration
  ): Boolean = {
    val mayMark = columns.exists(_.name == MergeOrder.isDeleted)
    slice.logs.exists { log =>
      val bytes = storage.readListed(log.path, log.length, Storage.maxArrayBytes)
      LogFileBlocks.read(bytes, log.path.toString).blocks
        .exists(block => block.kind == LogBlock.delete || mayMark && marks(block, log, conf))
    }
  }

  /** Whether a block may have rows that say that they are deleted. Statistics of a Parquet file show that
    * it has none, as in those of hudilite; Avro has no statistics. */
  private def marks(block: LogBlock, log: LogFile, conf: Configuration): Boolean =
    block.kind != LogBlock.parquetData || {
      val footer = ParquetBlock.footer(conf, new Path(log.path.toString), block.content)
      footer.getBlocks.asScala.flatMap(_.getColumns.asScala)
        .filter(_.getPath.toDotString == MergeOrder.isDeleted).exists(mayBeTrue)
    }

  private def mayBeTrue(marker: ColumnChunkMetaData): Boolean = marker.getStatistics match {
    case known: BooleanStatistics if !known.isEmpty => known.hasNonNullValue && known.getMax
    case _ => true
  }
}
