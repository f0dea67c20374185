package hudilite.spark.write

import java.lang.Double.doubleToLongBits
import java.lang.Float.floatToIntBits

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.page.PageWriter
import org.apache.parquet.column.statistics.SizeStatistics
import org.apache.parquet.column.statistics.geospatial.GeospatialStatistics
import org.apache.parquet.column.values.bloomfilter.BloomFilterWriter
import org.apache.parquet.column.{ColumnDescriptor, ParquetProperties}
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY

/** Writer of one flat column of the current row group: collects levels, values and statistics into
  * pages (task side).
  *
  * It produces the same pages as Parquet's own column writer, with the same encodings and ending at
  * the same rows. It needs less work per value, because levels are written in runs,
  * [[PageBounds]] is specialized by type, and a value of a dictionary is compared with the bounds
  * of a page only once.
  * Source: performance 3.3; parquet-java's ColumnWriterBase.
  * @param blooms receives the bloom filter of the values, if the column has one
  */
final private[write] class FlatColumn(
    column: ColumnDescriptor,
    properties: ParquetProperties,
    pages: PageWriter,
    blooms: Option[BloomFilterWriter]
) {
  private val level = column.getMaxDefinitionLevel
  private val repetitions = properties.newRepetitionLevelWriter(column)
  private val levels = properties.newDefinitionLevelWriter(column)
  private val values = properties.newValuesWriter(column)
  private val bloom = blooms.map(_ -> PageEncodings.bloomOf(column, properties))
  private val bounds = bloom.foldLeft(PageBounds.of(column.getPrimitiveType)) {
    case (all, (_, filter)) => PageBounds.hashed(column.getPrimitiveType, all, filter)
  }
  private val isOfAnyLength = column.getPrimitiveType.getPrimitiveTypeName == BINARY
  private val mostBytes = properties.getPageSizeThreshold.toLong * 9 / 10
  private var rows, nulls = 0 // in the current page
  private var run = 0 // rows whose levels are not written yet
  private var runIsNull = false
  private var bytes = 0L // of variable-length values in the current page

  /** Length of each value in bytes, for a fixed-length type. */
  def typeLength: Int = column.getPrimitiveType.getTypeLength

  /** Announces rows with a value; these values must be written next.
    * @param number how many */
  def present(number: Int): Unit = count(number, isNull = false)

  /** Writes a null.
    * @throws IllegalStateException when the column is required */
  def absent(): Unit = {
    if (level == 0)
      throw new IllegalStateException(
        s"a null in ${column.getPath.mkString(".")}, which takes none"
      )
    nulls += 1
    count(1, isNull = true)
  }

  def write(value: Boolean): Unit = {
    bounds.add(value)
    values.writeBoolean(value)
  }

  def write(value: Int): Unit = values match {
    case dictionary: DictionaryNumbers => if (dictionary.add(value.toLong)) bounds.add(value)
    case others =>
      bounds.add(value)
      others.writeInteger(value)
  }

  def write(value: Long): Unit = values match {
    case dictionary: DictionaryNumbers => if (dictionary.add(value)) bounds.add(value)
    case others =>
      bounds.add(value)
      others.writeLong(value)
  }

  def write(value: Float): Unit = values match {
    case dictionary: DictionaryNumbers =>
      if (dictionary.add(floatToIntBits(value).toLong)) bounds.add(value)
    case others =>
      bounds.add(value)
      others.writeFloat(value)
  }

  def write(value: Double): Unit = values match {
    case dictionary: DictionaryNumbers =>
      if (dictionary.add(doubleToLongBits(value))) bounds.add(value)
    case others =>
      bounds.add(value)
      others.writeDouble(value)
  }

  /** Writes bytes from an array that may change after the call.
    * @param times how often */
  def write(array: Array[Byte], start: Int, length: Int, times: Int = 1): Unit = {
    if (isOfAnyLength) bytes += length.toLong * times
    values match {
      case dictionary: DictionaryBytes =>
        if (dictionary.add(array, start, length, times)) bounds.add(array, start, length)
      case others =>
        bounds.add(array, start, length)
        var i = 0
        while (i < times) {
          others.writeBytes(Binary.fromReusedByteArray(array, start, length))
          i += 1
        }
    }
  }

  /** Ends the page if it is full. Must be called in all columns at the same rows, those at which
    * pages may end. */
  def endPageIfFull(): Unit = {
    val held = levels.getBufferedSize + values.getBufferedSize
    if (
      rows >= properties.getPageRowCountLimit || held > mostBytes ||
      rows >= properties.getPageValueCountThreshold
    )
      endPage()
  }

  /** Ends the column chunk; nothing may be written afterwards. */
  def end(): Unit = {
    if (rows > 0) endPage()
    Option(values.toDictPageAndClose()).foreach(pages.writeDictionaryPage)
    bloom.foreach { case (writer, filter) => writer.writeBloomFilter(filter) }
    values.resetDictionary()
    Seq(repetitions, levels, values).foreach(_.close())
  }

  def bufferedSize: Long = levels.getBufferedSize + values.getBufferedSize + pages.getMemSize

  private def count(number: Int, isNull: Boolean): Unit = {
    if (isNull != runIsNull) endRun()
    runIsNull = isNull
    run += number
    rows += number
  }

  private def endRun(): Unit = {
    val of = if (runIsNull) level - 1 else level
    while (run > 0) {
      levels.writeInteger(of)
      run -= 1
    }
  }

  private def endPage(): Unit = {
    endRun()
    pages.writePage(
      BytesInput.concat(repetitions.getBytes, levels.getBytes, values.getBytes),
      rows,
      rows,
      bounds.ofPage(nulls),
      new SizeStatistics(column.getPrimitiveType, bytes, FlatColumn.none, FlatColumn.none),
      FlatColumn.nowhere,
      repetitions.getEncoding,
      levels.getEncoding,
      values.getEncoding
    )
    Seq(repetitions, levels, values).foreach(_.reset())
    bounds.clear()
    rows = 0
    nulls = 0
    bytes = 0
  }
}

private object FlatColumn {
  // Size statistics of a flat column with at most one level have no histograms of its levels.
  private val none = java.util.List.of[java.lang.Long]()
  private val nowhere = GeospatialStatistics.noopBuilder().build()
}
