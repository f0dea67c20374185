package hudilite.index

import java.util.PrimitiveIterator

import org.apache.parquet.column.impl.ColumnReadStoreImpl
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.filter2.compat.FilterCompat
import org.apache.parquet.filter2.predicate.{FilterApi, FilterPredicate}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.io.api.{Binary, Converter, GroupConverter, PrimitiveConverter}
import org.apache.parquet.schema.{MessageType, Type}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.MetaFields

/** Reader of the record key column of a base file. */
object KeyColumn {

  /** Largest number of keys for which pages are skipped. For more keys, all pages are read. */
  val mostSought = 64

  /** Returns the filter with which a file must be opened, so that its reader skips the pages that
    * contain none of these keys.
    * @param sought at least one key */
  def pages(sought: Seq[UTF8String]): FilterCompat.Filter =
    if (sought.size > mostSought) FilterCompat.NOOP
    else FilterCompat.get(anyOf(sought.toIndexedSeq))

  /** Calls `visit` with each key that may be in `sought`, in row order, from the pages that are not
    * skipped. */
  def foreach(reader: ParquetFileReader, sought: KeyTable)(visit: UTF8String => Unit): Unit = {
    val schema = reader.getFileMetaData.getSchema
    val keyField: Type = schema.getFields.get(schema.getFieldIndex(MetaFields.RecordKey))
    val column = new MessageType(schema.getName, keyField)
    reader.setRequestedSchema(column)
    val isPlain = PlainKeys.areIn(reader.getFooter)
    Iterator
      .continually(reader.readNextFilteredRowGroup())
      .takeWhile(_ != null)
      .foreach { pages =>
        val descriptor = column.getColumns.get(0)
        if (isPlain) PlainKeys.foreach(pages.getPageReader(descriptor), descriptor, sought)(visit)
        else readPages(pages, column, reader.getFileMetaData.getCreatedBy, visit)
      }
  }

  private def readPages(
      pages: PageReadStore,
      schema: MessageType,
      createdBy: String,
      visit: UTF8String => Unit
  ): Unit = {
    val column = schema.getColumns.get(0)
    val reader = new ColumnReadStoreImpl(pages, Ignored, schema, createdBy).getColumnReader(column)
    val rows = pages.getRowIndexes.map[Long](count(_)).orElse(pages.getRowCount)
    val filled = column.getMaxDefinitionLevel
    var row = 0L
    while (row < rows) {
      if (reader.getCurrentDefinitionLevel == filled)
        visit(UTF8String.fromBytes(reader.getBinary.getBytesUnsafe))
      reader.consume()
      row += 1
    }
  }

  private def count(rows: PrimitiveIterator.OfLong): Long = {
    var n = 0L
    while (rows.hasNext) {
      rows.nextLong(): Unit
      n += 1
    }
    n
  }

  private def anyOf(keys: IndexedSeq[UTF8String]): FilterPredicate =
    if (keys.size == 1)
      FilterApi.eq(
        FilterApi.binaryColumn(MetaFields.RecordKey),
        Binary.fromConstantByteArray(keys.head.getBytes)
      )
    else {
      val (left, right) = keys.splitAt(keys.size / 2)
      FilterApi.or(anyOf(left), anyOf(right))
    }

  /** Converter that does nothing, because values are taken from the column reader directly. */
  private object Ignored extends GroupConverter {
    private val value = new PrimitiveConverter {}
    override def getConverter(field: Int): Converter = value
    override def start(): Unit = ()
    override def end(): Unit = ()
  }
}
