package hudilite.spark.write

import java.io.ByteArrayOutputStream

import scala.collection.mutable.ArrayBuffer

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import hudilite.format.{DeleteRecords, LogBlock}
import hudilite.io.MemoryFile

/** Content of a new log file: a block of rows, then a block of deletions (task side). It stays in
  * memory, because a block begins with its length.
  * @param instant    instant of the write
  * @param avroSchema schema of the rows with the meta columns, as JSON
  * @param schema     the five meta columns, then the table's columns
  * @param keys       collects the record keys for the footer of the rows
  * Source: merge-on-read §0.1, §8.2 */
final class LogContent(
    instant: String,
    avroSchema: String,
    partition: String,
    conf: Configuration,
    schema: StructType,
    layout: FileLayout,
    keys: FooterPairs
) {
  private val buffer = new ByteArrayOutputStream
  private val deleted = ArrayBuffer.empty[String]
  private var writer = Option.empty[BaseFileWriter]
  private var rows = 0L

  /** Number of bytes so far, without rows that are not encoded yet. */
  def size: Int = buffer.size

  /** Number of deletions. */
  def deletions: Int = deleted.size

  /** Writes a row. Rows and deletions come in the order of their keys; a deletion of the row's key
    * before it is dropped, because a reader would apply it after the row. */
  def write(key: String, row: InternalRow): Unit = {
    if (deleted.lastOption.contains(key)) deleted.dropRightInPlace(1): Unit
    opened.write(row)
    rows += 1
  }

  def delete(key: String): Unit = deleted += key

  /** Ends the content and returns its bytes. */
  def finish(): Array[Byte] = {
    writer.foreach(_.close())
    val header = Seq(LogBlock.instantKey -> instant, LogBlock.schemaKey -> avroSchema)
    val ofRows =
      if (rows == 0) Array.emptyByteArray
      else LogBlock.bytes(LogBlock.parquetData, header, buffer.toByteArray)
    val ofDeletions =
      if (deleted.isEmpty) Array.emptyByteArray
      else {
        val records = DeleteRecords.bytes(deleted.toSeq.map(_ -> partition))
        LogBlock.bytes(LogBlock.delete, header, records)
      }
    ofRows ++ ofDeletions
  }

  /** Releases the buffers. */
  def abandon(): Unit = writer.foreach(_.abandon())

  private def opened: BaseFileWriter = writer.getOrElse {
    val of = new BaseFileWriter(LogContent.path, conf, schema, layout.withoutBlooms,
      () => keys.footer(rows), new MemoryFile(buffer))
    writer = Some(of)
    of
  }
}

private object LogContent {

  /** Name of the rows' file where only a factory of encryption keys asks for it. */
  private val path = new Path("rows.parquet")
}
