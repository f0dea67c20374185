package hudilite.index

import org.apache.spark.unsafe.types.UTF8String

/** A bloom filter over record keys with Hudi's bytes: rows of one shape, a further one when the
  * last is full. A filter read from a footer takes further keys and forgets none. One thread at a
  * time.
  * Source: seed 001, hudi-format §4.7; checked against stock Hudi's own bytes.
  * @param shape     sizes of a row
  * @param limit     keys from which on no row is added, and false positives grow
  * @param code      type code that the filter began with
  * @param rows      bits, position i at byte i/8, lowest first
  * @param inLastRow keys in the last row; more than a row's entries once the filter is saturated */
final class BloomFilter private[index] (
    shape: BloomShape,
    limit: Long,
    code: String,
    private var rows: Array[Array[Byte]],
    private var inLastRow: Int
) {
  private val hash = new BloomHash(shape.bits)
  private lazy val pending = new PendingKeys(shape)
  private var arePending = false
  private var turn = -1

  /** The same for a further thread to ask: neither may take a key after. */
  def shared: BloomFilter = new BloomFilter(shape, limit, code, settled, inLastRow)

  /** Keys that a row holds at the wished rate of false positives. */
  def entries: Int = shape.entries

  /** Number of rows; each is looked at for a key that is not there. */
  def rowCount: Int = rows.length

  /** Keys added so far; an estimate from the bits when the filter was read as SIMPLE. */
  def keyCount: Long = (rows.length - 1).toLong * entries + inLastRow

  /** Number of bits. */
  def bits: Long = rows.length.toLong * shape.bits

  /** Part of the bits that are set. */
  def fill: Double = settled.map(filled).sum / rows.length

  /** How many of the keys that are not there it lets pass, as its bits tell. */
  def falsePositiveRate: Double =
    1 - settled.map(row => 1 - math.pow(filled(row), shape.hashes.toDouble)).product

  private def filled(row: Array[Byte]): Double =
    row.foldLeft(0L)((sum, byte) => sum + Integer.bitCount(byte & 0xff)).toDouble / shape.bits

  /** Whether it holds more keys than it may grow for. */
  def isSaturated: Boolean = inLastRow > entries

  /** `SIMPLE` or `DYNAMIC_V0`, for the footer's hoodie_bloom_filter_type_code; a SIMPLE one that
    * grew is the latter. */
  def typeCode: String = if (rows.length > 1) BloomFilter.Dynamic else code

  /** Adds a key given as UTF-8 bytes, at least one. */
  def add(key: Array[Byte]): Unit = add(UTF8String.fromBytes(key))

  /** Adds a key of at least one byte. */
  def add(key: UTF8String): Unit = {
    pending.take(key, rowForNext())
    arePending = true
    inLastRow += 1
  }

  /** @return false only when the key was never added */
  def mightContain(key: Array[Byte]): Boolean = mightContain(UTF8String.fromBytes(key))

  /** @return false only when the key was never added */
  def mightContain(key: UTF8String): Boolean = {
    val all = settled
    var r = 0
    while (r < all.length && !holds(all(r), key)) r += 1
    r < all.length
  }

  /** The same by the first hashes of a key alone.
    * @param hashes of several keys, see [[SortedKeys.firstHashes]]
    * @param at     where those of the key begin */
  private[index] def mightHold(hashes: Array[Int], at: Int): Boolean = {
    val all = settled
    var r = 0
    while (r < all.length && !holds(all(r), hashes, at)) r += 1
    r < all.length
  }

  /** Text of the footer's org.apache.hudi.bloomfilter, in the form that [[typeCode]] names. */
  def serialize(): String =
    if (typeCode == BloomFilter.Dynamic) BloomFilterBytes.writeDynamic(shape, settled, inLastRow)
    else BloomFilterBytes.writeSimple(shape, settled(0))

  /** The rows with the bits of all keys. */
  private def settled: Array[Array[Byte]] = {
    if (arePending) pending.drain()
    arePending = false
    rows
  }

  private def holds(row: Array[Byte], key: UTF8String): Boolean = {
    hash.start(key)
    var i = 0
    var isSet = true
    while (isSet && i < shape.hashes) {
      isSet = has(row, hash.next())
      i += 1
    }
    isSet
  }

  private def holds(row: Array[Byte], hashes: Array[Int], at: Int): Boolean = {
    val end = at + math.min(shape.hashes, BloomHash.firsts)
    var i = at
    var isSet = true
    while (isSet && i < end) {
      isSet = has(row, BloomHash.position(hashes(i), shape.bits))
      i += 1
    }
    isSet
  }

  private def has(row: Array[Byte], bit: Int): Boolean = (row(bit >> 3) & (1 << (bit & 7))) != 0

  /** Hudi fills the last row, then adds one, up to the limit; from there on it takes the rows in
    * turn, the first one twice at the beginning. */
  private def rowForNext(): Array[Byte] =
    if (turn >= 0) {
      turn += 1
      rows((turn - 1) % rows.length)
    } else if (inLastRow < entries) rows(rows.length - 1)
    else if (rows.length.toLong * entries < limit) {
      rows = rows :+ new Array[Byte](shape.bytes)
      inLastRow = 0
      rows(rows.length - 1)
    } else {
      turn = 0
      rows(0)
    }
}

object BloomFilter {
  val Simple = "SIMPLE"
  val Dynamic = "DYNAMIC_V0"

  /** A row is never sized for fewer keys. */
  val fewestEntries = 64

  /** Hudi's hoodie.bloom.index.filter.dynamic.max.entries. */
  private val stockLimit = 100000L

  /** An empty filter.
    * @param expectedKeys keys that one row is sized for, at least [[fewestEntries]]; a row has at
    *                     most 64 MiB, so beyond some twelve million keys it is sized for fewer
    * @param fpp          wished rate of false positives, between 0 and 1
    * @param typeCode     what it is written as; a SIMPLE one that must grow becomes DYNAMIC_V0 */
  def create(expectedKeys: Long, fpp: Double = 1e-9, typeCode: String = Dynamic): BloomFilter = {
    val shape = BloomShape.of(math.max(expectedKeys, fewestEntries.toLong), fpp)
    new BloomFilter(shape, stockLimit, typeCode, Array(new Array[Byte](shape.bytes)), 0)
  }

  /** The filter of a footer.
    * @param base64   value of org.apache.hudi.bloomfilter
    * @param typeCode value of hoodie_bloom_filter_type_code
    * @param path     file of the footer, for messages
    * Errors: HUDILITE_CORRUPT_DATA_FILE, before a number in the text has made anything be
    * allocated. */
  def parse(base64: String, typeCode: String, path: String = "(unnamed)"): BloomFilter =
    BloomFilterBytes.read(base64, typeCode, path)
}
