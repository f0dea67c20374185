package hudilite.format

import java.util.zip.CRC32

private[hudilite] object Crc {

  /** Returns the CRC-32 of bytes, unsigned. */
  def of(bytes: Array[Byte]): Long = {
    val crc = new CRC32
    crc.update(bytes)
    crc.getValue
  }
}
