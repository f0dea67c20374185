package hudilite.spark.write

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException}
import java.util.zip.CRC32

import scala.annotation.tailrec

import org.apache.parquet.format.{PageHeader, Util}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.io.{
  DelegatingSeekableInputStream,
  ParquetDecodingException,
  SeekableInputStream
}
import shaded.parquet.org.apache.thrift.transport.TTransportException

/** Stream that checks the pages of one column chunk while they are copied from an old file (task
  * side): each page has a readable header and the CRC32 that the header states, and the pages fill
  * the chunk. Damaged bytes would otherwise pass unread into the new file.
  * @param in    the old file
  * @param chunk read from its first byte to its last
  * Source: parquet-format, PageHeader.crc */
private[write] final class CheckedPages(in: SeekableInputStream, chunk: ColumnChunkMetaData)
    extends DelegatingSeekableInputStream(in) {
  private val header = new ByteArrayOutputStream
  private val crc = new CRC32
  private var page = Option.empty[PageHeader] // whose bytes come now
  private var left, values = 0L

  override def getPos: Long = in.getPos
  override def seek(position: Long): Unit = in.seek(position)

  override def read(bytes: Array[Byte], from: Int, length: Int): Int = {
    val count = in.read(bytes, from, length)
    if (count > 0) take(bytes, from, from + count)
    count
  }

  /** Fails when the last page is not complete or the chunk lacks values. */
  def finish(): Unit =
    if (page.nonEmpty || header.size > 0 || values != chunk.getValueCount)
      throw damaged(s"its pages contain $values of ${chunk.getValueCount} values")

  @tailrec private def take(bytes: Array[Byte], from: Int, until: Int): Unit = if (from < until)
    page match {
      case Some(of) =>
        val count = math.min(left, (until - from).toLong).toInt
        crc.update(bytes, from, count)
        left -= count
        if (left == 0) end(of)
        take(bytes, from + count, until)
      case None =>
        header.write(bytes, from, until - from)
        parsed() match {
          case Some((of, rest)) =>
            begin(of)
            take(bytes, until - rest, until)
          case None => ()
        }
    }

  /** @return the header and how many bytes came after it; nothing while it is incomplete */
  private def parsed(): Option[(PageHeader, Int)] = {
    val from = new ByteArrayInputStream(header.toByteArray)
    try Some((Util.readPageHeader(from), from.available))
    catch {
      case e: IOException if CheckedPages.isIncomplete(e) && header.size < CheckedPages.maxHeader =>
        None
      case e: IOException => throw damaged(s"a page header is unreadable: ${e.getMessage}")
    }
  }

  private def begin(of: PageHeader): Unit = {
    header.reset()
    crc.reset()
    left = of.getCompressed_page_size.toLong
    values += CheckedPages.valuesOf(of)
    if (left < 0) throw damaged(s"a page has $left bytes")
    page = Some(of)
    if (left == 0) end(of)
  }

  private def end(of: PageHeader): Unit = {
    page = None
    if (of.isSetCrc && of.getCrc != crc.getValue.toInt)
      throw damaged("the checksum of a page is wrong")
  }

  private def damaged(reason: String) =
    new ParquetDecodingException(s"column ${chunk.getPath.toDotString}: $reason")
}

private object CheckedPages {

  /** Bytes that no header reaches: Parquet leaves out statistics above 4 KB. */
  private val maxHeader = 1 << 20

  private def isIncomplete(e: IOException): Boolean = e.getCause match {
    case thrift: TTransportException => thrift.getType == TTransportException.END_OF_FILE
    case _ => false
  }

  private def valuesOf(of: PageHeader): Long =
    if (of.isSetData_page_header) of.getData_page_header.getNum_values.toLong
    else if (of.isSetData_page_header_v2) of.getData_page_header_v2.getNum_values.toLong
    else 0L
}
