package hudilite.spark.write

import java.io.ByteArrayInputStream

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.format.Util
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnPath, ParquetMetadata}
import org.apache.parquet.internal.hadoop.metadata.IndexReference
import org.apache.parquet.io.SeekableInputStream

/** A file of whose bytes a new one takes some over.
  * @param footer of the file
  * @param bytes  of the file; whoever opened it closes it, after the last row group that copies
  * @param named  runs what reads them, and names the file in what goes wrong there */
final class OldFile(
    val footer: ParquetMetadata,
    bytes: SeekableInputStream,
    named: (=> Unit) => Unit
) {

  /** A row group.
    * @throws IllegalArgumentException when there is none of that ordinal */
  private[write] def block(ordinal: Int): BlockMetaData = {
    require(footer.getBlocks.size > ordinal && ordinal >= 0, s"no row group $ordinal")
    footer.getBlocks.get(ordinal)
  }

  /** Copies the chunk of a column, and what indexes its pages, into the open row group. */
  private[write] def copy(
      block: BlockMetaData,
      column: ColumnDescriptor,
      to: ParquetFileWriter
  ): Unit = {
    val path = ColumnPath.get(column.getPath: _*)
    val chunk = block.getColumns.asScala
      .find(_.getPath == path)
      .getOrElse(throw new IllegalArgumentException(s"the old file has no column $path"))
    named {
      val values = read(chunk.getColumnIndexReference).map { in =>
        ParquetMetadataConverter.fromParquetColumnIndex(
          chunk.getPrimitiveType,
          Util.readColumnIndex(in)
        )
      }
      val offsets = read(chunk.getOffsetIndexReference).map { in =>
        ParquetMetadataConverter.fromParquetOffsetIndex(Util.readOffsetIndex(in))
      }
      // Of Parquet's own bloom filters we write none, and one left behind is no fault.
      val pages = new CheckedPages(bytes, chunk)
      to.appendColumnChunk(column, pages, chunk, None.orNull, values.orNull, offsets.orNull)
      pages.finish()
    }
  }

  private def read(place: IndexReference): Option[ByteArrayInputStream] =
    Option(place).map { of =>
      val found = new Array[Byte](of.getLength)
      bytes.seek(of.getOffset)
      bytes.readFully(found)
      new ByteArrayInputStream(found)
    }
}

/** Columns that a row group takes over as they are, from one row group of an old file.
  * @param block   the old row group's ordinal
  * @param columns top-level columns of both files, each of which `CopyRules` lets pass */
final case class CopiedColumns(file: OldFile, block: Int, columns: Set[String])
