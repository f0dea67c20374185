package hudilite.spark.read

import java.io.ByteArrayInputStream

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.filter2.compat.FilterCompat
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.{DelegatingSeekableInputStream, SeekableInputStream}
import org.apache.parquet.schema.MessageType

/** Reader of a PARQUET_DATA block of a log file, whose content is a whole Parquet file (task side).
  * Source: merge-on-read §1.2. */
private[spark] object ParquetBlock {

  /** Opens the rows of a block; nothing is read from the storage. A block without rows has no batch.
    * @param conf    Hadoop configuration; contains the columns to read
    * @param path    log file, for errors
    * @param content content of the block; must not change
    * @param columns number of these columns
    * @param types   returns the columns whose types in a file are not those to read
    * Errors: HUDILITE_CORRUPT_DATA_FILE; HUDILITE_COLUMN_TYPE_MISMATCH. */
  private[read] def open(
      settings: BatchSettings,
      conf: Configuration,
      path: Path,
      content: Array[Byte],
      columns: Int,
      types: MessageType => Option[ChangedTypes]
  ): BlockRows = SliceReaderFactory.naming(path, conf) {
    val file = fileOf(conf, path, content)
    val footer = footerOf(file, conf, content)
    val changed = types(footer.getFileMetaData.getSchema)
    val count = footer.getBlocks.stream.mapToLong(_.getRowCount).sum
    BlockRows.of(settings, count, columns, footer.getBlocks.size) { rows =>
      val batches = FileBatches.reader(
        FileBatches(file, stream(content), footer)
          .open(settings, changed.fold(conf)(_.configured(conf)), rows)
      )
      SliceReaderFactory.named(changed.fold(batches)(_.converted(batches)), path, conf)
    }
  }

  /** Reads the footer of a block's Parquet file. Parameters and errors: those of [[open]]. */
  def footer(conf: Configuration, path: Path, content: Array[Byte]): ParquetMetadata =
    SliceReaderFactory.naming(path, conf)(footerOf(fileOf(conf, path, content), conf, content))

  private def fileOf(conf: Configuration, path: Path, content: Array[Byte]) =
    HadoopInputFile.fromStatus(new FileStatus(content.length.toLong, false, 1, 0, 0, path), conf)

  private def footerOf(
      file: HadoopInputFile,
      conf: Configuration,
      content: Array[Byte]
  ): ParquetMetadata = {
    val options =
      HadoopReadOptions.builder(conf, file.getPath).withRecordFilter(FilterCompat.NOOP).build()
    Using.resource(ParquetFileReader.open(file, options, stream(content)))(_.getFooter)
  }

  private def stream(content: Array[Byte]): SeekableInputStream = new InMemory(new Bytes(content))

  /** Bytes with a position that may be moved. */
  private final class Bytes(content: Array[Byte]) extends ByteArrayInputStream(content) {
    def position: Int = pos
    def moveTo(position: Int): Unit = pos = position
  }

  private final class InMemory(bytes: Bytes) extends DelegatingSeekableInputStream(bytes) {
    override def getPos: Long = bytes.position.toLong
    override def seek(position: Long): Unit = bytes.moveTo(position.toInt)
  }
}
