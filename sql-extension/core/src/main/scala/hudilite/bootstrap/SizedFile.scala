package hudilite.bootstrap

import org.apache.parquet.io.{OutputFile, PositionOutputStream}

/** Output file that discards its content and counts its length, which equals that of a real
  * file. */
final class SizedFile extends OutputFile {
  private var length = 0L

  /** Number of bytes written so far. */
  def bytes: Long = length

  override def create(blockBytes: Long): PositionOutputStream = {
    length = 0
    new PositionOutputStream {
      override def getPos: Long = length
      override def write(byte: Int): Unit = length += 1
      override def write(bytes: Array[Byte], from: Int, count: Int): Unit = length += count
    }
  }

  override def createOrOverwrite(blockBytes: Long): PositionOutputStream = create(blockBytes)
  override def supportsBlockSize: Boolean = false
  override def defaultBlockSize: Long = 0
}
