package hudilite.io

import java.io.ByteArrayOutputStream

import org.apache.parquet.io.PositionOutputStream

/** Output of a Parquet writer that stays in memory: small files are created complete or not at all. */
final class MemoryFile(out: ByteArrayOutputStream) extends DataOutput {
  override def create(blockBytes: Long): PositionOutputStream = new PositionOutputStream {
    override def getPos: Long = out.size.toLong
    override def write(byte: Int): Unit = out.write(byte)
    override def write(bytes: Array[Byte], from: Int, length: Int): Unit =
      out.write(bytes, from, length)
  }
  override def createOrOverwrite(blockBytes: Long): PositionOutputStream = create(blockBytes)
  override def supportsBlockSize: Boolean = false
  override def defaultBlockSize: Long = 0
  override def abort(): Unit = ()
}
