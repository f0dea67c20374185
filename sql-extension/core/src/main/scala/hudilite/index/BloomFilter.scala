package hudilite.index

import java.nio.ByteBuffer
import java.util.Base64

import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException

/** A bloom filter over record keys with Hudi's bytes: rows of equal size, a new one when the last is full.
  * A filter that was read from a footer takes further keys and never forgets one. Not safe for use by two
  * threads at once. Source: seed 001, hudi-format §4.7; checked against stock Hudi's own bytes.
  * @param entries keys that a row holds at the wished rate of false positives
  * @param limit   keys beyond which no row is added and false positives grow, as Hudi's dynamic.max.entries */
final class BloomFilter private (
    val entries: Int,
    hashes: Int,
    bits: Int,
    limit: Long,
    code: String
) {
  private val hash = new BloomHash(bits)
  private var rows: Array[Array[Byte]] = Array.empty
  private var inLastRow = 0
  private var cycled = -1

  /** Number of rows; each one is looked at for a key that is not there. */
  def rowCount: Int = rows.length

  /** Keys added so far; for a filter read as SIMPLE, an estimate from the bits that are set. */
  def keyCount: Long = (rows.length - 1).toLong * entries + inLastRow

  /** Whether more keys were added than the filter may grow for. */
  def isSaturated: Boolean = keyCount > math.max(limit, entries.toLong) && inLastRow > entries

  /** `SIMPLE` or `DYNAMIC_V0`, the value of the footer's hoodie_bloom_filter_type_code. A SIMPLE filter that
    * grew is DYNAMIC_V0. */
  def typeCode: String = if (rows.length > 1) BloomFilter.Dynamic else code

  /** Adds a key given as UTF-8 bytes; an empty one is refused, as by Hudi. */
  def add(key: Array[Byte]): Unit = add(UTF8String.fromBytes(key))

  /** Adds a key without an allocation. */
  def add(key: UTF8String): Unit = {
    val row = rowForNext()
    hash.start(key)
    var i = 0
    while (i < hashes) {
      val bit = hash.next()
      row(bit >> 3) = (row(bit >> 3) | (1 << (bit & 7))).toByte
      i += 1
    }
    inLastRow += 1
  }

  /** @return false only when the key was never added */
  def mightContain(key: Array[Byte]): Boolean = mightContain(UTF8String.fromBytes(key))

  /** @return false only when the key was never added */
  def mightContain(key: UTF8String): Boolean = {
    var r = 0
    while (r < rows.length && !rowHas(rows(r), key)) r += 1
    r < rows.length
  }

  /** The footer's text: Hudi's bytes in base64, in the form that [[typeCode]] names. */
  def serialize(): String = {
    val isDynamic = typeCode == BloomFilter.Dynamic
    val head = if (isDynamic) BloomFilter.headBytes + 3 * Integer.BYTES else 0
    val buffer = ByteBuffer.allocate(head + rows.map(_.length + BloomFilter.headBytes).sum)
    if (isDynamic) putHead(buffer).putInt(entries).putInt(inLastRow).putInt(rows.length)
    rows.foreach(row => putHead(buffer).put(row))
    Base64.getEncoder.encodeToString(buffer.array)
  }

  private def putHead(buffer: ByteBuffer): ByteBuffer =
    buffer.putInt(BloomFilter.version).putInt(hashes).put(BloomFilter.murmur).putInt(bits)

  private def rowHas(row: Array[Byte], key: UTF8String): Boolean = {
    hash.start(key)
    var i = 0
    var has = true
    while (has && i < hashes) {
      val bit = hash.next()
      has = (row(bit >> 3) & (1 << (bit & 7))) != 0
      i += 1
    }
    has
  }

  /** Hudi fills the last row up, then adds one, until the limit; from there on it goes around over all rows,
    * beginning with the first one twice. */
  private def rowForNext(): Array[Byte] =
    if (cycled >= 0) {
      cycled += 1
      rows((cycled - 1) % rows.length)
    } else if (inLastRow < entries) rows(rows.length - 1)
    else if (rows.length.toLong * entries < limit) {
      rows = rows :+ new Array[Byte](BloomFilter.bytesOf(bits))
      inLastRow = 0
      rows(rows.length - 1)
    } else {
      cycled = 0
      rows(0)
    }
}

object BloomFilter {
  val Simple = "SIMPLE"
  val Dynamic = "DYNAMIC_V0"
  val fewestEntries = 64
  val maxBytes: Int = 64 << 20

  private val version = -1
  private val murmur: Byte = 1
  private val headBytes = 3 * Integer.BYTES + 1
  private val hudiLimit = 100000L
  private val ln2 = math.log(2)

  /** An empty filter, written as DYNAMIC_V0.
    * @param expectedKeys keys that one row is sized for, at least [[fewestEntries]]
    * @param fpp          wished rate of false positives */
  def create(expectedKeys: Long, fpp: Double = 1e-9): BloomFilter = {
    val entries = math.max(expectedKeys, fewestEntries.toLong)
    val bits = math.ceil(entries * -math.log(fpp) / (ln2 * ln2))
    if (bits / 8 > maxBytes) throw corrupt(s"$expectedKeys keys need more than $maxBytes bytes")
    val hashes = math.ceil(ln2 * bits.toInt / entries).toInt
    filled(entries.toInt, hashes, bits.toInt, hudiLimit, Dynamic, empty(bits.toInt), 0)
  }

  /** The filter of a footer.
    * @param base64   value of org.apache.hudi.bloomfilter
    * @param typeCode value of hoodie_bloom_filter_type_code
    * Errors: HUDILITE_CORRUPT_BLOOM_FILTER, before anything is allocated by a number in the text. */
  def parse(base64: String, typeCode: String): BloomFilter = {
    if (base64.length / 4L * 3 > maxBytes) throw corrupt(s"it is larger than $maxBytes bytes")
    new BloomFilterBytes(decoded(base64)).filter(typeCode)
  }

  private[index] def filled(
      entries: Int,
      hashes: Int,
      bits: Int,
      limit: Long,
      code: String,
      rows: Array[Array[Byte]],
      inLastRow: Int
  ): BloomFilter = {
    val filter = new BloomFilter(entries, hashes, bits, limit, code)
    filter.rows = rows
    filter.inLastRow = inLastRow
    filter
  }

  private[index] def bytesOf(bits: Int): Int = (bits + 7) / 8

  private[index] def corrupt(reason: String): HudiliteException =
    HudiliteException("HUDILITE_CORRUPT_BLOOM_FILTER", "reason" -> reason)

  private def empty(bits: Int): Array[Array[Byte]] = Array(new Array[Byte](bytesOf(bits)))

  private def decoded(base64: String): ByteBuffer =
    try ByteBuffer.wrap(Base64.getDecoder.decode(base64))
    catch {
      case e: IllegalArgumentException => throw corrupt(s"it is not base64 (${e.getMessage})")
    }
}
