package hudilite.spark.exec

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Numbers that stand for keys in a sort: a lesser key never has a greater number. Keys of equal
  * numbers must be compared. A number tells at which byte and on which side a key leaves the
  * reference, then the bytes from there on, so what most keys begin with takes no bits. The number
  * 0 stands for no key.
  *
  * @param reference one of the keys
  * @param placeBits bits for the place
  * @param bits      bits of a number, at most 64; the number is unsigned */
private[exec] final class KeyPrefix private (reference: UTF8String, placeBits: Int, bits: Int) {
  private val textBits = bits - placeBits
  private val greatest = (1L << placeBits) - 1
  private val last = (1 << (placeBits - 1)) - 2 // of the places below the reference

  /** Returns the number of a key, 1 or more. */
  def of(key: UTF8String): Long = {
    val at = alike(key)
    (place(key, at) << textBits) | KeyPrefix.packed(key, at, textBits)
  }

  private def place(key: UTF8String, at: Int): Long =
    if (at == last || (at == key.numBytes && at == reference.numBytes)) last + 1L
    else if (at < reference.numBytes && (at == key.numBytes || isBelow(key, at))) at + 1L
    else greatest - at

  private def isBelow(key: UTF8String, at: Int): Boolean =
    (key.getByte(at) & 0xff) < (reference.getByte(at) & 0xff)

  /** Returns how many bytes a key and the reference begin with alike, up to [[last]]. */
  private def alike(key: UTF8String): Int = {
    val most = math.min(math.min(key.numBytes, reference.numBytes), last)
    var i = 0
    while (i + 8 <= most && word(key, i) == word(reference, i)) i += 8
    while (i < most && key.getByte(i) == reference.getByte(i)) i += 1
    i
  }

  private def word(text: UTF8String, at: Int): Long =
    Platform.getLong(text.getBaseObject, text.getBaseOffset + at)
}

private[exec] object KeyPrefix {

  /** Bits of a narrow number, and a number in which they are set. */
  val bits: Int = 48
  val mask: Long = (1L << bits) - 1

  /** Returns numbers of [[bits]] bits. What keys begin with alike takes no bits up to its 126th byte. */
  def narrow(reference: UTF8String): KeyPrefix = new KeyPrefix(reference.copy(), 8, bits)

  /** Returns numbers of 64 bits. What keys begin with alike takes no bits up to its 32,766th byte. */
  def wide(reference: UTF8String): KeyPrefix = new KeyPrefix(reference.copy(), 16, 64)

  /** Returns the bytes of a key from one on, in as many bits as there are: a digit takes 4 bits, a
    * byte from ':' to 'y' 8, any other 12. */
  private def packed(key: UTF8String, from: Int, bits: Int): Long = {
    var sum = 0L
    var left = bits
    var at = from
    while (left > 0 && at < key.numBytes) {
      val byte = key.getByte(at) & 0xff
      val taken = math.min(left, lengths(byte))
      sum = (sum << taken) | (codes(byte) >> (lengths(byte) - taken))
      left -= taken
      at += 1
    }
    sum << left
  }

  /** Codes of the 256 bytes, in their order; none is the beginning of another. */
  private val (codes, lengths) = {
    val (digits, letters) = ('0' to '9', ':' to 'y')
    val all = (0 to 0xff).map { byte =>
      if (byte < digits.head) (byte.toLong, 12)
      else if (byte <= digits.last) (1L + byte - digits.head, 4)
      else if (byte <= letters.last) (0xb0L + byte - letters.head, 8)
      else (0xf00L + byte, 12)
    }
    (all.map(_._1).toArray, all.map(_._2).toArray)
  }
}
