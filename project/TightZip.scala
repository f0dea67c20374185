import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder.LITTLE_ENDIAN
import java.util.zip.CRC32

/** A zip file of names, sizes and bytes alone: no folders, no extra fields, one time for all. */
object TightZip {
  private val limitFiles = 65535
  private val version = 20
  private val namesAreUtf8 = 1 << 11
  private val isDeflated = 8
  private val firstOfFebruary1980 = 2 << 5 | 1

  /** @param files name and bytes, in the order they get */
  def of(files: Seq[(String, Array[Byte])]): Array[Byte] = {
    require(files.size < limitFiles, s"${files.size} files are too many for a plain zip")
    val body, directory = new ByteArrayOutputStream
    files.foreach { case (name, bytes) =>
      val packed = Deflated.of(bytes)
      val text = name.getBytes("UTF-8")
      val shared = facts(bytes, packed, text.length)
      directory.write(little(6)(_.putInt(0x02014b50).putShort(version.toShort)))
      directory.write(shared)
      directory.write(little(14)(_.putInt(10, body.size)))
      directory.write(text)
      body.write(little(4)(_.putInt(0x04034b50)))
      body.write(shared)
      body.write(text)
      body.write(packed)
    }
    val start = body.size
    body.write(directory.toByteArray)
    body.write(end(files.size, directory.size, start))
    body.toByteArray
  }

  /** What the header before a file and its line in the directory both say. */
  private def facts(bytes: Array[Byte], packed: Array[Byte], nameLength: Int): Array[Byte] = {
    val sum = new CRC32
    sum.update(bytes)
    little(26) {
      _.putShort(version.toShort)
        .putShort(namesAreUtf8.toShort)
        .putShort(isDeflated.toShort)
        .putShort(0)
        .putShort(firstOfFebruary1980.toShort)
        .putInt(sum.getValue.toInt)
        .putInt(packed.length)
        .putInt(bytes.length)
        .putShort(nameLength.toShort)
        .putShort(0)
    }
  }

  private def end(files: Int, length: Int, start: Int): Array[Byte] =
    little(22) {
      _.putInt(0x06054b50)
        .putInt(0)
        .putShort(files.toShort)
        .putShort(files.toShort)
        .putInt(length)
        .putInt(start)
    }

  private def little(length: Int)(fill: ByteBuffer => Unit): Array[Byte] = {
    val buffer = ByteBuffer.allocate(length).order(LITTLE_ENDIAN)
    fill(buffer)
    buffer.array
  }
}
