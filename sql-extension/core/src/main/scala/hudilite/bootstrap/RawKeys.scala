package hudilite.bootstrap

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.ParquetProperties.DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.hadoop.metadata.{
  BlockMetaData,
  ColumnChunkMetaData,
  ColumnPath,
  CompressionCodecName,
  FileMetaData,
  ParquetMetadata
}
import org.apache.parquet.internal.column.columnindex.{ColumnIndexBuilder, OffsetIndexBuilder}
import org.apache.parquet.io.SeekableInputStream
import org.apache.parquet.schema.LogicalTypeAnnotation.StringLogicalTypeAnnotation
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY
import org.apache.parquet.schema.Type
import org.apache.parquet.schema.Type.Repetition.OPTIONAL
import org.apache.parquet.{CorruptDeltaByteArrays, CorruptStatistics}

import hudilite.index.KeyRange

/** The pages of one row group's keys as a source has them, to be copied into its skeleton. What a
  * source says of their bounds is left behind: it may be cut, or in another order.
  * @param bytes of the chunk */
final class RawKeys private (codec: CompressionCodecName, bytes: Array[Byte], found: RawPages) {

  /** Rows of each page. */
  private[bootstrap] def pageRows: Iterator[Int] = found.pages.iterator.map(_.rows)

  /** Rows of the group. */
  def rows: Long = pageRows.map(_.toLong).sum

  /** Writes the chunk into the open row group.
    * @param ranges of each page, in the order of bytes */
  private[bootstrap] def write(
      writer: ParquetFileWriter,
      column: ColumnDescriptor,
      ranges: Seq[KeyRange]
  ): Unit = {
    val index =
      ColumnIndexBuilder.getBuilder(column.getPrimitiveType, DEFAULT_COLUMN_INDEX_TRUNCATE_LENGTH)
    val offsets = OffsetIndexBuilder.getBuilder
    ranges.foreach(range => index.add(ColumnPages.bounds(column, range)))
    found.pages.foreach(page => offsets.add(page.bytes, page.rows.toLong))
    val at = RawKeys.start + found.dictionaryBytes
    val chunk = ColumnChunkMetaData.get(
      ColumnPath.get(column.getPath: _*),
      column.getPrimitiveType,
      codec,
      found.stats,
      found.encodings.asJava,
      ColumnPages.bounds(column, KeyRange(ranges.map(_.min).min, ranges.map(_.max).max)),
      at,
      if (found.dictionaryBytes > 0) RawKeys.start else 0L,
      rows,
      bytes.length.toLong,
      found.unpackedBytes
    )
    val from = new BytesFrom(RawKeys.start, bytes)
    writer.appendColumnChunk(column, from, chunk, None.orNull, index.build(), offsets.build(at))
  }
}

object RawKeys {

  /** Where a file's first chunk starts; a dictionary at 0 would not count. */
  private val start = ParquetFileWriter.MAGIC.length.toLong

  /** A larger chunk is not held in memory. */
  private val mostBytes = 128L << 20

  /** What stock Hudi and the other readers unpack without a library of somebody else. */
  private val codecs = Set(
    CompressionCodecName.UNCOMPRESSED,
    CompressionCodecName.SNAPPY,
    CompressionCodecName.GZIP,
    CompressionCodecName.ZSTD,
    CompressionCodecName.LZ4_RAW
  )

  /** Encodings that stand for levels in the list of a chunk's. */
  private val ofLevels = Set("RLE", "BIT_PACKED")

  /** Whether a source's keys can be copied, as far as its footer tells: optional texts outside of any
    * structure, encoded and packed as all readers know it. Of a file that readers treat in a way of
    * its own because of who wrote it nothing can be copied.
    * @param column name of a column of the file */
  def areIn(footer: ParquetMetadata, column: String): Boolean = {
    val file = footer.getFileMetaData
    file.getSchema.getFields.asScala.exists(f => f.getName == column && isText(f)) &&
    file.getEncryptionType == EncryptionType.UNENCRYPTED &&
    footer.getBlocks.asScala.forall(chunkOf(_, column).exists(fits(file, _)))
  }

  /** Reads the chunk of a row group.
    * @param from  the source, whose position moves
    * @param group of a source for which [[areIn]] holds
    * @return None where its pages show that it cannot be copied after all
    * @throws java.io.IOException for bytes that cannot be read, or that make no sense */
  def of(from: SeekableInputStream, group: BlockMetaData, column: String): Option[RawKeys] =
    chunkOf(group, column).filter(_.getTotalSize <= mostBytes).flatMap { chunk =>
      val bytes = new Array[Byte](chunk.getTotalSize.toInt)
      from.seek(chunk.getStartingPos)
      from.readFully(bytes)
      RawPages.of(bytes, group.getRowCount).map(new RawKeys(chunk.getCodec, bytes, _))
    }

  private def chunkOf(group: BlockMetaData, column: String): Option[ColumnChunkMetaData] =
    group.getColumns.asScala.find(_.getPath == ColumnPath.get(column))

  private def isText(field: Type): Boolean =
    field.isPrimitive && field.isRepetition(OPTIONAL) &&
      field.asPrimitiveType.getPrimitiveTypeName == BINARY &&
      Option(field.getLogicalTypeAnnotation).forall {
        case _: StringLogicalTypeAnnotation => true
        case _ => false
      }

  private def fits(file: FileMetaData, chunk: ColumnChunkMetaData): Boolean = {
    val encodings = chunk.getEncodings.asScala.toSet
    val by = file.getCreatedBy
    codecs(chunk.getCodec) && encodings.forall(e => ofLevels(e.name) || RawPages.isKnown(e)) &&
    !CorruptStatistics.shouldIgnoreStatistics(by, BINARY) &&
    !encodings.exists(CorruptDeltaByteArrays.requiresSequentialReads(by, _))
  }
}
