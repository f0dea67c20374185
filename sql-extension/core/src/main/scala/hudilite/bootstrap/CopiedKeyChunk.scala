package hudilite.bootstrap

import scala.collection.mutable.ArrayBuffer

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.KeyRange

/** Column chunk of record keys whose pages are copied unchanged from the source file. The added
  * keys only provide the bounds of the pages. */
final private[bootstrap] class CopiedKeyChunk(
    writer: ParquetFileWriter,
    column: ColumnDescriptor,
    raw: RawKeys
) extends KeyChunk {
  private val pageRows = raw.pageRows
  private val all, bounds = new KeyBounds(KeyBounds.byBytes)
  private val ofPages = ArrayBuffer.empty[KeyRange]
  private var left = pageRows.next()

  override def add(key: UTF8String): Unit = {
    if (left == 0) {
      endPage()
      left = pageRows.next()
    }
    bounds.add(key)
    left -= 1
  }

  override def end(): KeyBounds = {
    endPage()
    raw.write(writer, column, ofPages.toSeq)
    all
  }

  private def endPage(): Unit = {
    ofPages ++= bounds.range
    all.add(bounds)
    bounds.clear()
  }
}
