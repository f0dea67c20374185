package hudilite.index

import org.apache.spark.unsafe.types.UTF8String

/** Bloom filter over record keys in Hudi's format. All its rows have one shape, and a row is added
  * when the last one is full. A filter that was read from a footer accepts further keys and loses
  * none. Not thread-safe.
  * Source: seed 001, hudi-format §4.7; checked against stock Hudi's own bytes.
  * @param shape     sizes of a row
  * @param limit     number of keys from which on no row is added, so that false positives increase
  * @param code      type code that the filter was created with
  * @param rows      bits of each row; position i is in byte i/8, lowest bit first
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

  /** Returns a filter with the same rows for another thread to query. After this call, no key may
    * be added to either filter. */
  def shared: BloomFilter = new BloomFilter(shape, limit, code, settled, inLastRow)

  /** Number of keys that a row is sized for at the requested rate of false positives. */
  def entries: Int = shape.entries

  /** Number of rows. The lookup of an absent key tests every row. */
  def rowCount: Int = rows.length

  /** Number of bits of all rows. */
  def bits: Long = rows.length.toLong * shape.bits

  /** Fraction of the bits that are set. */
  def fill: Double = settled.map(filled).sum / rows.length

  /** Expected fraction of absent keys that pass the filter, computed from its bits. */
  def falsePositiveRate: Double =
    1 - settled.map(row => 1 - math.pow(filled(row), shape.hashes.toDouble)).product

  private def filled(row: Array[Byte]): Double =
    row.foldLeft(0L)((sum, byte) => sum + Integer.bitCount(byte & 0xff)).toDouble / shape.bits

  /** `SIMPLE` or `DYNAMIC_V0`, for the footer's hoodie_bloom_filter_type_code. A SIMPLE filter that
    * grew is DYNAMIC_V0. */
  def typeCode: String = if (rows.length > 1) BloomFilter.Dynamic else code

  /** Adds a key given as UTF-8 bytes, at least one. */
  def add(key: Array[Byte]): Unit = add(UTF8String.fromBytes(key))

  /** Adds a key of at least one byte. */
  def add(key: UTF8String): Unit = {
    pending.take(key, rowForNext())
    arePending = true
    inLastRow += 1
  }

  /** Whether the filter may contain a key. False means that the key was never added. */
  def mightContain(key: Array[Byte]): Boolean = mightContain(UTF8String.fromBytes(key))

  /** Whether the filter may contain a key. False means that the key was never added. */
  def mightContain(key: UTF8String): Boolean = {
    val all = settled
    var r = 0
    while (r < all.length && !holds(all(r), key)) r += 1
    r < all.length
  }

  /** Whether the filter may contain a key, tested with the first hashes of the key only.
    * @param hashes hashes of several keys, see [[SortedKeys.firstHashes]]
    * @param at     index of the key's first hash */
  private[index] def mightHold(hashes: Array[Int], at: Int): Boolean = {
    val all = settled
    var r = 0
    while (r < all.length && !holds(all(r), hashes, at)) r += 1
    r < all.length
  }

  /** Returns the text of the footer's org.apache.hudi.bloomfilter, in the form that [[typeCode]]
    * names. */
  def serialize(): String =
    if (typeCode == BloomFilter.Dynamic) BloomFilterBytes.writeDynamic(shape, settled, inLastRow)
    else BloomFilterBytes.writeSimple(shape, settled(0))

  /** Returns the rows after the bits of all pending keys are set. */
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

  /** Returns the row for the next key. Like Hudi, it fills the last row and then adds one, up to
    * the limit. After that it uses the rows in turn, at the beginning the first one twice. */
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

  /** Smallest number of keys that a row is sized for. */
  val fewestEntries = 64

  /** Default of Hudi's hoodie.bloom.index.filter.dynamic.max.entries. */
  private val stockLimit = 100000L

  /** Returns an empty filter.
    * @param expectedKeys number of keys that one row is sized for, [[fewestEntries]] if smaller. A
    *                     row has at most 64 MiB, so above about twelve million keys it is sized for
    *                     fewer.
    * @param fpp          requested rate of false positives, between 0 and 1
    * @param typeCode     type code to write; a SIMPLE filter that must grow becomes DYNAMIC_V0 */
  def create(expectedKeys: Long, fpp: Double = 1e-9, typeCode: String = Dynamic): BloomFilter = {
    val shape = BloomShape.of(math.max(expectedKeys, fewestEntries.toLong), fpp)
    new BloomFilter(shape, stockLimit, typeCode, Array(new Array[Byte](shape.bytes)), 0)
  }

  /** Parses the filter of a footer.
    * @param base64   value of org.apache.hudi.bloomfilter
    * @param typeCode value of hoodie_bloom_filter_type_code
    * @param path     file of the footer, for messages
    * Errors: HUDILITE_CORRUPT_DATA_FILE. A number in the text is checked before memory of that size
    * is allocated. */
  def parse(base64: String, typeCode: String, path: String = "(unnamed)"): BloomFilter =
    BloomFilterBytes.read(base64, typeCode, path)
}
