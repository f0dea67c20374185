package hudilite.spark.read

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetPartitionReaderFactory
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

import hudilite.format.LogBlock
import hudilite.view.{AdmittedBlocks, FileSlice}

/** Vectorized reader of columns of data blocks (task side).
  * @param parquet Spark's factory, which has the columns that files store and the settings
  * @param ofPath  adds columns whose values come from the partition path, if some are read */
private[read] final class LogBlockReader(
    parquet: ParquetPartitionReaderFactory,
    ofPath: Option[PathColumns]
) extends Serializable {
  // Computed on the driver: the session's settings are not sent to tasks.
  private val settings = BatchSettings.of(parquet.sqlConf, parquet.options)
  private val isCaseSensitive = parquet.sqlConf.caseSensitiveAnalysis
  private val columns: StructType = parquet.readDataSchema

  /** Opens a reader of all rows of a block.
    * @param slice slice of the log file
    * Errors: HUDILITE_CORRUPT_DATA_FILE, HUDILITE_COLUMN_TYPE_MISMATCH. */
  def open(slice: FileSlice, found: AdmittedBlocks.InFile): PartitionReader[ColumnarBatch] = {
    val stored = found.block.kind match {
      case LogBlock.parquetData => ofParquet(found)
      case _ => ofAvro(found)
    }
    ofPath.fold(stored)(_.completed(slice, stored))
  }

  private def ofParquet(found: AdmittedBlocks.InFile) = {
    val conf = parquet.broadcastedConf.value.value
    ParquetBlock.reader(settings, conf, new Path(found.file), found.block.content,
      ChangedTypes.of(_, columns, isCaseSensitive))
  }

  private def ofAvro(found: AdmittedBlocks.InFile) = AvroBatches.reader(
    found.block.schema.getOrElse(""),
    found.block.content,
    columns,
    found.file,
    isCaseSensitive,
    settings.rows,
    settings.offHeap
  )
}
