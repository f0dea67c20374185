package hudilite.bootstrap

import java.io.ByteArrayInputStream

import org.apache.parquet.io.DelegatingSeekableInputStream

/** Bytes in memory as a part of a file.
  * @param start where in the file they begin */
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
