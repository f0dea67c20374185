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

/** Pages of the record key column of one row group as a source file has them, to be copied into its
  * skeleton. The bounds in the source file are not copied, because they may be truncated or in
  * another order.
  * @param bytes bytes of the column chunk */
final class RawKeys private (codec: CompressionCodecName, bytes: Array[Byte], found: RawPages) {

  /** Rows of each page. */
  private[bootstrap] def pageRows: Iterator[Int] = found.pages.iterator.map(_.rows)

  /** Rows of the row group. */
  def rows: Long = pageRows.map(_.toLong).sum

  /** Writes the column chunk into the open row group.
    * @param ranges bounds of each page, in the order of bytes */
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

  /** Position of the first column chunk in a file. A dictionary at position 0 would be ignored. */
  private val start = ParquetFileWriter.MAGIC.length.toLong

  /** Size in bytes of the largest chunk that is read into memory. */
  private val mostBytes = 128L << 20

  /** Codecs that stock Hudi and the other readers decompress without a third-party library. */
  private val codecs = Set(
    CompressionCodecName.UNCOMPRESSED,
    CompressionCodecName.SNAPPY,
    CompressionCodecName.GZIP,
    CompressionCodecName.ZSTD,
    CompressionCodecName.LZ4_RAW
  )

  /** Encodings that a column chunk lists for its levels, not for its values. */
  private val ofLevels = Set("RLE", "BIT_PACKED")

  /** Whether the keys of a source file can be copied, as far as its footer shows: a top-level
    * optional string column, not encrypted, with encodings and a codec that all readers support.
    * Nothing is copied from a file that readers treat specially because of the program that wrote
    * it.
    * @param column name of a column of the file */
  def areIn(footer: ParquetMetadata, column: String): Boolean = {
    val file = footer.getFileMetaData
    file.getSchema.getFields.asScala.exists(f => f.getName == column && isText(f)) &&
    file.getEncryptionType == EncryptionType.UNENCRYPTED &&
    footer.getBlocks.asScala.forall(chunkOf(_, column).exists(fits(file, _)))
  }

  /** Reads the column chunk of a row group.
    * @param from  stream of the source file, whose position moves
    * @param group row group of a file for which [[areIn]] is true
    * @return None if the chunk is too large, or its pages show that it cannot be copied after all
    * @throws java.io.IOException for bytes that cannot be read or are malformed */
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
