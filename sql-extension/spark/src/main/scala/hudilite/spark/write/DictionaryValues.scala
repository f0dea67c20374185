package hudilite.spark.write

import org.apache.parquet.bytes.{BytesInput, BytesUtils, CapacityByteArrayOutputStream}
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.values.ValuesWriter
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder
import org.apache.parquet.column.{Encoding, ParquetProperties}

/** Values writer of one column chunk with a dictionary: pages contain the numbers of the values in
  * it. If that does not make the first page smaller, or if the dictionary becomes too large, values
  * are written in PLAIN encoding from then on.
  *
  * A value that equals the one before is not hashed. The `add` of a subclass tells which values a
  * page has already, so that each is compared with the bounds of the page only once.
  * Source: parquet-format's Encodings; bytes and decisions are those of parquet-java's
  * DictionaryValuesWriter and FallbackValuesWriter.
  *
  * @param gaveUp called when enough values have shown that the column needs no dictionary
  * @param length see [[PlainValues]]
  */
abstract private[write] class DictionaryValues(
    properties: ParquetProperties,
    gaveUp: () => Unit,
    length: Int = 0
) extends ValuesWriter {
  import DictionaryValues._

  protected var table = new EntryTable
  protected val plain = new PlainValues(length)
  private val mostBytes = properties.getDictionaryPageSizeThreshold
  private var entryBytes = 0 // of all entries
  private var numbers = PagedInts.of(leastRoom) // of the values of the page
  private var count = 0
  private var last = -1 // number of the last value of the page
  private var rawBytes = 0L // of the values of the page, in PLAIN encoding
  private var page = 1
  private var pagesOf = PagedInts.of(leastRoom) // for each entry, the last page that has it
  private var isFirstPage = true
  private var used = 0 // entries in the pages that have ended
  private var encoder = Option.empty[RunLengthBitPackingHybridEncoder]
  private var plainOnly = false

  /** Writes an entry in PLAIN encoding. */
  protected def writePlain(entry: Int): Unit

  /** The first `count` entries in PLAIN encoding. */
  protected def entries(count: Int): BytesInput

  /** Forgets all entries. */
  protected def clear(): Unit

  /** Whether the dictionary has been given up, so that values are written to `plain`. */
  final protected def isPlain: Boolean = plainOnly

  /** Counts a value of the page.
    * @param bytes its length in PLAIN encoding */
  final protected def grow(bytes: Int): Unit = rawBytes += bytes

  /** Number of the last value of the page, negative if there is none. */
  final protected def lastEntry: Int = last

  /** Adds the last value once more.
    * @return false: the page has it already */
  final protected def repeat(): Boolean = {
    append(last)
    false
  }

  /** Adds the value of an entry.
    * @return whether it is new in the page */
  final protected def note(entry: Int): Boolean = {
    append(entry)
    last = entry
    val isNew = pagesOf(entry) != page
    pagesOf(entry) = page
    isNew
  }

  /** Adds an entry to the dictionary, if it has room for it, else gives the dictionary up.
    * @param bytes its length in PLAIN encoding
    * @return whether it was added */
  final protected def admit(slot: Int, hash: Int, bytes: Int): Boolean = {
    val fits = bytes <= mostBytes - entryBytes
    if (fits) {
      entryBytes += bytes
      val entry = table.add(slot, hash)
      if (entry == pagesOf.size) pagesOf = pagesOf.extended(2 * entry)
    } else {
      fallBack()
      gaveUp()
    }
    fits
  }

  final override def getBufferedSize: Long = rawBytes

  /** Bytes of the largest array. */
  final def largestArray: Int =
    (largestOfEntries ++ Seq(numbers, pagesOf).map(_.largestArray) ++
      Seq(table.largestArray, plain.bytes.largestArray)).max

  /** Bytes of the largest arrays of the entries. */
  protected def largestOfEntries: Seq[Int]

  final override def getBytes: BytesInput =
    if (isPlain) plain.getBytes
    else {
      val encoded = encodedNumbers
      if (isFirstPage && encoded.size + entryBytes >= rawBytes) {
        val isEnough = count >= math.min(leastJudged, properties.getPageRowCountLimit)
        fallBack()
        if (isEnough) gaveUp()
        plain.getBytes
      } else {
        used = table.size
        encoded
      }
    }

  final override def getEncoding: Encoding =
    if (isPlain) Encoding.PLAIN else numbered

  final override def reset(): Unit = {
    close()
    plain.reset()
    isFirstPage = false
    page += 1
    count = 0
    last = -1
    rawBytes = 0
  }

  final override def close(): Unit = {
    encoder.foreach(_.close())
    encoder = None
  }

  final override def toDictPageAndClose(): DictionaryPage =
    Option.when(used > 0)(new DictionaryPage(entries(used), used, numbered)).orNull

  final override def getAllocatedSize: Long =
    Integer.BYTES * (numbers.size.toLong + pagesOf.size) + entryBytes + plain.getAllocatedSize

  final override def memUsageString(prefix: String): String =
    s"$prefix dictionary of ${table.size} values, $rawBytes bytes"

  private def append(entry: Int): Unit = {
    if (count == numbers.size) numbers = numbers.extended(2 * count)
    numbers(count) = entry
    count += 1
  }

  private def encodedNumbers: BytesInput = {
    val width = BytesUtils.getWidthFromMaxInt(table.size - 1)
    val to = new RunLengthBitPackingHybridEncoder(
      width,
      CapacityByteArrayOutputStream.initialSlabSizeHeuristic(leastRoom, mostBytes, 10),
      mostBytes,
      properties.getAllocator
    )
    encoder = Some(to)
    var i = 0
    while (i < count) {
      to.writeInt(numbers(i))
      i += 1
    }
    BytesInput.concat(BytesInput.from(Array(width.toByte)), to.toBytes)
  }

  private def fallBack(): Unit = {
    plainOnly = true
    var i = 0
    while (i < count) {
      writePlain(numbers(i))
      i += 1
    }
    numbers = PagedInts.of(0)
    if (used == 0) {
      table = new EntryTable
      pagesOf = PagedInts.of(0)
      entryBytes = 0
      clear()
    }
  }
}

private object DictionaryValues {
  private val numbered = Encoding.valueOf("PLAIN_DICTIONARY") // deprecated, but that of V1 pages
  private val leastRoom = 64

  private val leastJudged = 1000 // values of a first page that say enough about the next row groups
}
