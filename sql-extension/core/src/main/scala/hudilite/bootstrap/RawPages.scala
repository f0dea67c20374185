package hudilite.bootstrap

import java.io.ByteArrayInputStream

import scala.annotation.tailrec

import org.apache.parquet.column.{Encoding, EncodingStats}
import org.apache.parquet.format.{PageHeader, PageType, Util}

/** Facts from the page headers of a column chunk, of a column that is not nested.
  * @param dictionaryBytes length of the dictionary page, 0 without one
  * @param pages           data pages in their order, which fill the rest of the chunk
  * @param unpackedBytes   uncompressed size of the whole chunk
  * @param encodings       encodings of all pages
  * @param stats           the same by kinds of pages */
final private[bootstrap] case class RawPages(
    dictionaryBytes: Int,
    pages: Vector[RawPages.Page],
    unpackedBytes: Long,
    encodings: Set[Encoding],
    stats: EncodingStats
)

private[bootstrap] object RawPages {

  /** Data page of a column chunk.
    * @param bytes length with its header
    * @param rows  1 or more */
  final case class Page(bytes: Int, rows: Int)

  private val ofTexts =
    Set(Encoding.PLAIN, Encoding.DELTA_BYTE_ARRAY, Encoding.DELTA_LENGTH_BYTE_ARRAY)

  /** Whether all readers support an encoding of strings. */
  def isKnown(encoding: Encoding): Boolean = encoding.usesDictionary || ofTexts(encoding)

  /** Reads the page headers of a chunk.
    * @return None if the pages do not fill the chunk one after another, have another number of
    *         rows, or are of a kind that not all readers support
    * @throws java.io.IOException for a malformed header */
  def of(chunk: Array[Byte], rows: Long): Option[RawPages] = {
    val found = headers(chunk)
    val (dictionaries, data) = found.span(_.header.getType == PageType.DICTIONARY_PAGE)
    val values = data.flatMap(valuesOf)
    val ofDictionary = dictionaries.flatMap(dictionaryOf)
    Option.when(
      found.map(_.bytes.toLong).sum == chunk.length &&
        dictionaries.size <= 1 && ofDictionary.size == dictionaries.size &&
        values.size == data.size &&
        values.map(_.rows.toLong).sum == rows && values.forall(_.rows > 0) &&
        values.forall(page => isKnown(page.encoding)) &&
        dictionaries.nonEmpty == values.exists(page => page.encoding.usesDictionary)
    )(summed(dictionaries, ofDictionary, data, values))
  }

  /** Header of a page, and the length of the page with its header. */
  final private case class Headed(header: PageHeader, bytes: Int) {
    def unpacked: Long = header.getUncompressed_page_size.toLong + bytes -
      header.getCompressed_page_size
  }

  final private case class Values(rows: Int, encoding: Encoding, isV2: Boolean)

  /** Returns the headers of the pages that the chunk contains completely, up to the first that it
    * does not. */
  private def headers(chunk: Array[Byte]): Vector[Headed] = {
    @tailrec
    def from(start: Int, before: Vector[Headed]): Vector[Headed] =
      if (start == chunk.length) before
      else {
        val rest = new ByteArrayInputStream(chunk, start, chunk.length - start)
        val header = Util.readPageHeader(rest)
        val packed = header.getCompressed_page_size
        if (packed < 0 || packed > rest.available) before
        else {
          val end = chunk.length - rest.available + packed
          from(end, before :+ Headed(header, end - start))
        }
      }
    from(0, Vector.empty)
  }

  private def valuesOf(page: Headed): Option[Values] = {
    val v1 = Option(page.header.getData_page_header).collect {
      case of if of.getDefinition_level_encoding == org.apache.parquet.format.Encoding.RLE =>
        Values(of.getNum_values, encoding(of.getEncoding), isV2 = false)
    }
    val v2 = Option(page.header.getData_page_header_v2).collect {
      case of if of.getNum_rows == of.getNum_values =>
        Values(of.getNum_values, encoding(of.getEncoding), isV2 = true)
    }
    page.header.getType match {
      case PageType.DATA_PAGE => v1
      case PageType.DATA_PAGE_V2 => v2
      case _ => None
    }
  }

  /** Returns the encoding of a dictionary page, None if it is no such page or not all readers
    * support it. */
  private def dictionaryOf(page: Headed): Option[Encoding] =
    Option(page.header.getDictionary_page_header)
      .map(of => encoding(of.getEncoding))
      .filter(isKnown)

  private def summed(
      dictionaries: Vector[Headed],
      ofDictionary: Vector[Encoding],
      data: Vector[Headed],
      values: Vector[Values]
  ): RawPages = {
    val stats = new EncodingStats.Builder
    if (values.exists(_.isV2)) stats.withV2Pages(): Unit
    ofDictionary.foreach(stats.addDictEncoding)
    values.foreach(page => stats.addDataEncoding(page.encoding))
    RawPages(
      dictionaries.map(_.bytes).sum,
      data.zip(values).map { case (page, of) => Page(page.bytes, of.rows) },
      (dictionaries ++ data).map(_.unpacked).sum,
      values.map(_.encoding).toSet ++ ofDictionary + Encoding.RLE,
      stats.build()
    )
  }

  private def encoding(of: org.apache.parquet.format.Encoding): Encoding = Encoding.valueOf(of.name)
}
