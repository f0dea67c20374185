package hudilite.spark.bootstrap

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.Encoding
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ParquetMetadata}
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types.StructType

import hudilite.error.HudiliteException
import hudilite.spark.read.SliceReader

/** Facts from the footer of a source file, and checks of it. */
object SourceFooter {

  /** Returns the columns of a source file without the partition columns.
    * @param partitions partition columns of the source's folders
    * Errors: HUDILITE_CORRUPT_DATA_FILE if Spark cannot read the file. */
  def columns(path: String, reader: ParquetFileReader, partitions: StructType): StructType = {
    val all =
      try SliceReader.columnsOf(reader.getFileMetaData.getSchema)
      catch {
        case e: AnalysisException =>
          throw new HudiliteException(
            "HUDILITE_CORRUPT_DATA_FILE",
            Map("path" -> path, "reason" -> String.valueOf(e.getMessage)),
            e
          )
      }
    unreadable(reader.getFooter).foreach { reason =>
      throw HudiliteException("HUDILITE_CORRUPT_DATA_FILE", "path" -> path, "reason" -> reason)
    }
    SourceColumns.ofFiles(all, partitions)
  }

  /** Returns the fault of a file that lacks a key column, or has it with another type.
    * @param keys  key columns, as the first file has them
    * @param found columns of the file */
  def keyFault(keys: StructType, found: StructType): Option[FileFault] =
    keys.iterator.flatMap { column =>
      found.find(_.name == column.name) match {
        case None =>
          Some(FileFault.NoKeyColumn(column.name, s"it has no key column ${column.name}"))
        case Some(other) if other.dataType != column.dataType =>
          val types = s"${other.dataType.sql}, and ${column.dataType.sql} in the first file"
          Some(FileFault.NoKeyColumn(column.name, s"its key column ${column.name} is $types"))
        case Some(_) => None
      }
    }.nextOption()

  /** Returns the bytes of the key columns.
    * @param groups row groups of the file */
  def keyBytes(groups: Seq[BlockMetaData], keys: StructType): Long =
    groups.flatMap(_.getColumns.asScala)
      .filter(c => keys.fieldNames.contains(c.getPath.toDotString))
      .map(_.getTotalSize)
      .sum

  /** Returns why Spark's vectorized reader cannot read a file. Adopted files are always read by it.
    * Files to rewrite are read by the reader that the session selects, so their read could fail
    * halfway. */
  private def unreadable(footer: ParquetMetadata): Option[String] =
    footer.getBlocks.asScala.iterator.flatMap(_.getColumns.asScala)
      .find(_.getEncodings.contains(Encoding.BYTE_STREAM_SPLIT))
      .map { chunk =>
        val column = chunk.getPath.toDotString
        s"its column $column has the encoding BYTE_STREAM_SPLIT, which Spark's vectorized reader lacks"
      }
}
