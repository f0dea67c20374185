package hudilite.index

import java.util.Comparator

import org.apache.spark.unsafe.types.UTF8String

/** The order of Java's strings, by UTF-16 units, in which Hudi compares keys: characters beyond
  * U+FFFF stand before those from U+E000 on. Of texts in UTF-8. Source: hudi-format §4.6. */
object Utf16Order extends Comparator[UTF8String] {
  private val leadsFromE000 = 0xee
  private val leadsBeyondFFFF = 0xf0

  /** Whether a key may stand elsewhere in this order than in that of bytes. */
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
