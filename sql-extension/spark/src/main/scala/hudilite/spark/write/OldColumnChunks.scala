package hudilite.spark.write

import java.io.ByteArrayInputStream

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.values.bloomfilter.{BlockSplitBloomFilter, BloomFilter}
import org.apache.parquet.format.Util
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.hadoop.metadata.{
  BlockMetaData,
  ColumnChunkMetaData,
  ColumnPath,
  ParquetMetadata
}
import org.apache.parquet.internal.hadoop.metadata.IndexReference
import org.apache.parquet.io.SeekableInputStream
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

/** Column chunks of an old base file, which a new one copies as bytes (task side).
  * @param footer footer of the old base file
  * @param bytes  stream of the file; whoever opened it closes it, after the last row group that
  *               copies from it has ended
  * @param named  runs a read of the stream and adds the file name to its errors */
final class OldColumnChunks(
    val footer: ParquetMetadata,
    bytes: SeekableInputStream,
    named: (=> Unit) => Unit
) {

  /** Returns a row group.
    * @throws IllegalArgumentException when the ordinal does not exist */
  private[write] def block(ordinal: Int): BlockMetaData = {
    require(footer.getBlocks.size > ordinal && ordinal >= 0, s"no row group $ordinal")
    footer.getBlocks.get(ordinal)
  }

  /** Copies the chunk of a column, with its column index, offset index and bloom filter, into the open
    * row group. */
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
      val bloom = bloomOf(chunk)
      val pages = new CheckedPages(bytes, chunk)
      to.appendColumnChunk(column, pages, chunk, bloom.orNull, values.orNull, offsets.orNull)
      pages.finish()
    }
  }

  /** Reads the bloom filter of a chunk; None if it has none, one in a form that only newer versions of
    * Parquet know, one of impossible size, or one of floating-point values, of which equal ones differ in
    * their bits. */
  private def bloomOf(chunk: ColumnChunkMetaData): Option[BloomFilter] =
    Option.when(chunk.getBloomFilterOffset >= 0 && !isFloating(chunk)) {
      bytes.seek(chunk.getBloomFilterOffset)
      Util.readBloomFilterHeader(bytes)
    }.filter { header =>
      header.getAlgorithm.isSetBLOCK && header.getHash.isSetXXHASH &&
      header.getCompression.isSetUNCOMPRESSED && header.getNumBytes > 0 &&
      header.getNumBytes <= BlockSplitBloomFilter.UPPER_BOUND_BYTES
    }.map { header =>
      val bits = new Array[Byte](header.getNumBytes)
      bytes.readFully(bits)
      new BlockSplitBloomFilter(bits)
    }

  private def isFloating(chunk: ColumnChunkMetaData) =
    Set(PrimitiveTypeName.FLOAT, PrimitiveTypeName.DOUBLE)(
      chunk.getPrimitiveType.getPrimitiveTypeName
    )

  private def read(place: IndexReference): Option[ByteArrayInputStream] =
    Option(place).map { of =>
      val found = new Array[Byte](of.getLength)
      bytes.seek(of.getOffset)
      bytes.readFully(found)
      new ByteArrayInputStream(found)
    }
}

/** Columns that a new row group copies as bytes from one row group of an old base file.
  * @param ordinal ordinal of the old row group in its file
  * @param columns top-level columns of both files that `CopyRules` allows to copy */
final case class CopiedColumns(from: OldColumnChunks, ordinal: Int, columns: Set[String])
