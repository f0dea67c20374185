package hudilite.index

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Check for ASCII texts. Most keys are ASCII. */
object Ascii {
  private val upperBits = 0x8080808080808080L

  /** Whether all bytes are below 128. Such a text is valid UTF-8. */
  def isAll(text: UTF8String): Boolean = {
    val words = text.numBytes & -java.lang.Long.BYTES
    var upper = 0L
    var i = 0
    while (i < words) {
      upper |= Platform.getLong(text.getBaseObject, text.getBaseOffset + i)
      i += java.lang.Long.BYTES
    }
    while (i < text.numBytes) {
      upper |= text.getByte(i).toLong
      i += 1
    }
    (upper & upperBits) == 0
  }
}
