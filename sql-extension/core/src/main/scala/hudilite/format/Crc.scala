package hudilite.format

import java.util.zip.CRC32

private[hudilite] object Crc {

  /** Returns the CRC-32 of bytes, unsigned. */
  def of(bytes: Array[Byte]): Long = of(Iterator(bytes))

  /** Returns the CRC-32 of bytes that come in parts, unsigned. */
  def of(parts: Iterator[Array[Byte]]): Long = {
    val crc = new CRC32
    parts.foreach(crc.update(_))
    crc.getValue
  }
}
