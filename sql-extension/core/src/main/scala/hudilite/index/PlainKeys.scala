package hudilite.index

import java.io.{ByteArrayInputStream, DataInputStream}
import java.nio.{ByteBuffer, ByteOrder}

import scala.jdk.CollectionConverters._

import org.apache.parquet.bytes.{BytesInput, BytesUtils}
import org.apache.parquet.column.page.{DataPageV1, DataPageV2, PageReader}
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridDecoder
import org.apache.parquet.column.{ColumnDescriptor, Encoding}
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, ParquetMetadata}
import org.apache.parquet.io.ParquetDecodingException
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.MetaFields

/** Reader of keys from PLAIN pages, the texts one after another, as most writers produce them. It
  * is several times faster than Parquet's reader for any column, and most of the time of a lookup
  * is spent here. Source: Parquet's encodings, PLAIN. */
private[index] object PlainKeys {

  /** Whether all pages of the key column are PLAIN pages of version 1 according to the footer. Some
    * writers declare version 1 for pages of version 2, too. */
  def areIn(footer: ParquetMetadata): Boolean =
    footer.getBlocks.asScala.forall { group =>
      group.getColumns.asScala.filter(_.getPath.toDotString == MetaFields.RecordKey).forall(isPlain)
    }

  /** Calls `visit` with each key of the pages that may be in `sought`.
    * @throws ParquetDecodingException for malformed bytes */
  def foreach(pages: PageReader, column: ColumnDescriptor, sought: KeyTable)(
      visit: UTF8String => Unit
  ): Unit =
    Iterator.continually(pages.readPage()).takeWhile(_ != null).foreach {
      case page: DataPageV1
          if page.getDlEncoding == Encoding.RLE && page.getValueEncoding == Encoding.PLAIN =>
        val buffer = whole(page.getBytes, page.getUncompressedSize)
        read(buffer, page.getValueCount, levels(buffer, column.getMaxDefinitionLevel), sought,
          visit)
      case page: DataPageV2 if page.getDataEncoding == Encoding.PLAIN =>
        val of = page.getDefinitionLevels
        val hasKey = levels(whole(of, of.size.toInt), column.getMaxDefinitionLevel, of.size.toInt)
        val bytes = page.getData
        read(whole(bytes, bytes.size.toInt), page.getValueCount, hasKey, sought, visit)
      case page => throw new ParquetDecodingException(s"$page is not as its column's footer says")
    }

  private def isPlain(chunk: ColumnChunkMetaData): Boolean =
    Option(chunk.getEncodingStats).exists { stats =>
      !stats.hasDictionaryPages && !stats.usesV2Pages &&
      stats.getDataEncodings.asScala.forall(_ == Encoding.PLAIN)
    }

  private def whole(page: BytesInput, length: Int): ByteBuffer = {
    val bytes = new Array[Byte](length)
    new DataInputStream(page.toInputStream).readFully(bytes)
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
  }

  private def read(
      buffer: ByteBuffer,
      rows: Int,
      hasKey: () => Boolean,
      sought: KeyTable,
      visit: UTF8String => Unit
  ): Unit = {
    val bytes = buffer.array
    var at = buffer.position
    var row = 0
    while (row < rows) {
      if (hasKey()) {
        val length = buffer.getInt(at)
        at += Integer.BYTES
        if (length < 0 || length > bytes.length - at)
          throw new ParquetDecodingException(s"a key of $length bytes at $at of ${bytes.length}")
        if (sought.mightHold(bytes, at, length)) visit(UTF8String.fromBytes(bytes, at, length))
        at += length
      }
      row += 1
    }
  }

  /** Skips the definition levels before the texts.
    * @return function that returns for one row after another whether it has a key */
  private def levels(buffer: ByteBuffer, filled: Int): () => Boolean =
    levels(buffer, filled, if (filled == 0) 0 else buffer.getInt())

  /** Skips the definition levels at the buffer's position.
    * @param length length of the levels in bytes */
  private def levels(buffer: ByteBuffer, filled: Int, length: Int): () => Boolean =
    if (filled == 0) () => true
    else {
      val begin = buffer.position
      if (length < 0 || length > buffer.remaining)
        throw new ParquetDecodingException(s"levels of $length bytes, ${buffer.remaining} are left")
      buffer.position(begin + length)
      val levels = new RunLengthBitPackingHybridDecoder(
        BytesUtils.getWidthFromMaxInt(filled),
        new ByteArrayInputStream(buffer.array, begin, length)
      )
      () => levels.readInt() == filled
    }
}
