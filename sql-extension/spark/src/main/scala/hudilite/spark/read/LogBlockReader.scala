package hudilite.spark.read

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapred.JobConf
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.types.{IntegerType, LongType, StructType}
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

  /** Returns which of the columns a block has, by the schema in its header, in the order of `of`. Columns
    * of the partition path are among them.
    * Errors: HUDILITE_CORRUPT_DATA_FILE. */
  def stored(found: AdmittedBlocks.InFile, of: StructType): Array[Boolean] = {
    val schema = AvroBatches.schema(found.block.schema.getOrElse(""), found.file)
    val has = new AvroColumns(found.file, isCaseSensitive).has(schema)
    of.fields.map(field => !columns.fieldNames.contains(field.name) || has(field.name))
  }

  /** Whether a block has columns with the types of the table, by the schema in its header: the text of a
    * value that was stored in another type may be another one. An INT in a BIGINT column has the same text.
    * Errors: HUDILITE_CORRUPT_DATA_FILE, HUDILITE_COLUMN_TYPE_MISMATCH. */
  def hasTypes(found: AdmittedBlocks.InFile, of: StructType): Boolean = of.isEmpty ||
    found.block.schema.exists { text =>
      val schema = AvroBatches.schema(text, found.file)
      new AvroColumns(found.file, isCaseSensitive).record(schema, of).dataType match {
        case stored: StructType =>
          stored.map(_.dataType).zip(of.map(_.dataType)).forall { case (own, asked) =>
            own == asked || own == IntegerType && asked == LongType
          }
        case _ => false
      }
    }

  private def ofParquet(found: AdmittedBlocks.InFile) =
    ParquetBlock.open(settings, conf, new Path(found.file), found.block.content, columns.size,
      types.of)

  @transient private lazy val types = new LastTypes(columns, isCaseSensitive)

  private def ofAvro(found: AdmittedBlocks.InFile) = AvroBatches.open(
    found.block.schema.getOrElse(""),
    found.block.content,
    columns,
    found.file,
    isCaseSensitive,
    settings
  )
}
