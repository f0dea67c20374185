package hudilite.spark.read

import java.util.concurrent.atomic.AtomicReference

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapred.JobConf
import org.apache.parquet.schema.MessageType
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

import hudilite.format.LogBlock
import hudilite.view.{AdmittedBlocks, FileSlice}

/** Vectorized reader of columns of data blocks (task side).
  * @param columns         columns that files store
  * @param shared          Hadoop configuration of the tasks with these columns
  * @param settings        settings of the vectorized reader
  * @param isCaseSensitive whether columns are found by their exact names
  * @param ofPath          adds columns whose values come from the partition path, if some are read */
private[read] final class LogBlockReader(
    columns: StructType,
    shared: Broadcast[SerializableConfiguration],
    settings: BatchSettings,
    isCaseSensitive: Boolean,
    ofPath: Option[PathColumns]
) extends Serializable {

  /** One copy for all blocks, in which nothing is set. */
  @transient private lazy val conf: Configuration = new JobConf(shared.value.value)

  /** Opens the rows of a block.
    * @param slice slice of the log file
    * Errors: HUDILITE_CORRUPT_DATA_FILE, HUDILITE_COLUMN_TYPE_MISMATCH. */
  def open(slice: FileSlice, found: AdmittedBlocks.InFile): BlockRows = {
    val stored = found.block.kind match {
      case LogBlock.parquetData => ofParquet(found)
      case _ => ofAvro(found)
    }
    ofPath.fold(stored)(columns => stored.copy(batches = columns.completed(slice, stored.batches)))
  }

  private def ofParquet(found: AdmittedBlocks.InFile) =
    ParquetBlock.open(settings, conf, new Path(found.file), found.block.content, columns.size,
      typesOf)

  /** Schema of the last Parquet block, and the columns whose types are others in it: the blocks of a
    * slice mostly have one schema. */
  @transient private lazy val lastTypes =
    new AtomicReference(Option.empty[(MessageType, Option[ChangedTypes])])

  private def typesOf(schema: MessageType): Option[ChangedTypes] =
    lastTypes.get.filter(_._1 == schema).fold {
      val found = ChangedTypes.of(schema, columns, isCaseSensitive)
      lastTypes.set(Some(schema -> found))
      found
    }(_._2)

  private def ofAvro(found: AdmittedBlocks.InFile) = AvroBatches.open(
    found.block.schema.getOrElse(""),
    found.block.content,
    columns,
    found.file,
    isCaseSensitive,
    settings
  )
}
