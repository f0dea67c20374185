package hudilite.index

import java.util.Comparator

import org.apache.spark.unsafe.types.UTF8String

/** Order of UTF-8 texts by UTF-16 code units, the order of Java's strings, in which Hudi compares
  * keys. Characters beyond U+FFFF come before those from U+E000 on. Source: hudi-format §4.6. */
object Utf16Order extends Comparator[UTF8String] {
  private val leadsFromE000 = 0xee
  private val leadsBeyondFFFF = 0xf0

  /** Whether a key may have another place in this order than in the order of bytes. */
  def mayTurn(key: UTF8String): Boolean = !Ascii.isAll(key) && {
    val bytes = key.numBytes
    var i = 0
    while (i < bytes && (key.getByte(i) & 0xff) < leadsFromE000) i += 1
    i < bytes
  }

  override def compare(left: UTF8String, right: UTF8String): Int = {
    val shorter = math.min(left.numBytes, right.numBytes)
    var i = 0
    while (i < shorter && left.getByte(i) == right.getByte(i)) i += 1
    if (i == shorter) Integer.compare(left.numBytes, right.numBytes)
    else {
      val l = left.getByte(i) & 0xff
      val r = right.getByte(i) & 0xff
      val isTurned =
        math.min(l, r) >= leadsFromE000 && (l >= leadsBeyondFFFF) != (r >= leadsBeyondFFFF)
      if (isTurned) Integer.compare(r, l) else Integer.compare(l, r)
    }
  }
}
