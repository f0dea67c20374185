package hudilite.bootstrap

import java.io.ByteArrayInputStream

import org.apache.parquet.io.DelegatingSeekableInputStream

/** Input stream over bytes in memory that are a part of a file.
  * @param start position in the file at which the bytes begin */
final private[bootstrap] class BytesFrom(start: Long, bytes: ByteArrayInputStream, length: Int)
    extends DelegatingSeekableInputStream(bytes) {

  def this(start: Long, bytes: Array[Byte]) =
    this(start, new ByteArrayInputStream(bytes), bytes.length)

  override def getPos: Long = start + length - bytes.available

  override def seek(position: Long): Unit = {
    bytes.reset()
    bytes.skip(position - start): Unit
  }
}
