package hudilite.index

import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.RecordKey

/** Hash of the result of [[BucketIndex.hashValues]], computed directly from UTF-8 bytes: nothing is
  * allocated per key. Field names are ASCII, as Avro requires. Bytes that are not UTF-8 have some
  * hash, always the same. Runs in tasks. */
private[index] object KeyHash {
  private val wholeKey = -1

  /** Returns the hash of the list of values that Hudi takes from a record key. */
  def of(key: UTF8String, hashFields: Array[String]): Int = {
    val length = key.numBytes
    val isPairs = indexOf(key, ',', 0, length) >= 0 && indexOf(key, ':', 0, length) >= 0
    val ofFields = if (isPairs) hashOfFields(key, hashFields, length) else wholeKey.toLong
    if (ofFields == wholeKey) 31 + text(key, 0, length) else ofFields.toInt
  }

  /** Returns the hash of a part of the key as java.lang.String computes it, over UTF-16 code
    * units. */
  def text(key: UTF8String, from: Int, until: Int): Int = {
    var hash = 0
    var at = from
    while (at < until) {
      val first = key.getByte(at)
      if (first >= 0) {
        hash = 31 * hash + first
        at += 1
      } else {
        val size = math.min(UTF8String.numBytesForFirstByte(first), until - at)
        hash = appended(hash, codePoint(key, at, size))
        at += size
      }
    }
    hash
  }

  /** Returns the hash over the values of `hashFields` in key order, as an unsigned number, or
    * [[wholeKey]] if there is none. */
  private def hashOfFields(key: UTF8String, hashFields: Array[String], length: Int): Long = {
    var hash = 1
    var found = false
    var at = 0
    while (at < length) {
      val colon = indexOf(key, ':', at, length)
      val end = valueEnd(key, colon, length)
      if (isOneOf(key, at, colon, hashFields)) {
        hash = 31 * hash + value(key, colon + 1, end)
        found = true
      }
      at = end + 1
    }
    if (found) Integer.toUnsignedLong(hash) else wholeKey.toLong
  }

  private def valueEnd(key: UTF8String, colon: Int, length: Int): Int = {
    var next = indexOf(key, ':', colon + 1, length)
    var comma = -1
    while (next >= 0 && comma < 0) {
      comma = lastIndexOf(key, ',', next, colon)
      if (comma < 0) next = indexOf(key, ':', next + 1, length)
    }
    if (comma < 0) length else comma
  }

  private def value(key: UTF8String, from: Int, until: Int): Int =
    if (matches(key, from, until, RecordKey.NullPlaceholder)) 0
    else if (matches(key, from, until, RecordKey.EmptyPlaceholder)) 0
    else text(key, from, until)

  private def isOneOf(key: UTF8String, from: Int, until: Int, fields: Array[String]): Boolean = {
    var i = 0
    while (i < fields.length && !matches(key, from, until, fields(i))) i += 1
    i < fields.length
  }

  private def matches(key: UTF8String, from: Int, until: Int, ascii: String): Boolean = {
    var i = 0
    if (until - from != ascii.length) false
    else {
      while (i < ascii.length && key.getByte(from + i) == ascii.charAt(i)) i += 1
      i == ascii.length
    }
  }

  private def indexOf(key: UTF8String, sign: Int, from: Int, until: Int): Int = {
    var i = from
    while (i < until && key.getByte(i) != sign) i += 1
    if (i < until) i else -1
  }

  private def lastIndexOf(key: UTF8String, sign: Int, from: Int, after: Int): Int = {
    var i = from
    while (i > after && key.getByte(i) != sign) i -= 1
    if (i > after) i else -1
  }

  private def appended(hash: Int, codePoint: Int): Int =
    if (Character.isBmpCodePoint(codePoint)) 31 * hash + codePoint
    else {
      val high = 31 * hash + Character.highSurrogate(codePoint)
      31 * high + Character.lowSurrogate(codePoint)
    }

  private def codePoint(key: UTF8String, at: Int, size: Int): Int = {
    var code = key.getByte(at) & (0x7f >> size)
    var i = 1
    while (i < size) {
      code = (code << 6) | (key.getByte(at + i) & 0x3f)
      i += 1
    }
    code
  }
}
