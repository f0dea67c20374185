package hudilite.format

import java.io.{ByteArrayInputStream, IOException}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.zip.{CRC32, CRC32C, Checksum, GZIPInputStream}

import scala.util.Using

/** One block of an HFile: header, body, and one checksum for each started 16 KiB of header and
  * body. Stock Hudi writes zeros as checksums and ignores them. HBase writes CRC-32C, and so does
  * this code, because nothing else protects the values.
  * Source: hudi-format §8.5. */
private[format] object HFileBlock {
  val data = "DATABLK*"
  val index = "IDXROOT2"
  val fileInfo = "FILEINF2"
  val magicBytes = 8
  val noCodec = 2

  private val headBytes = 33
  private val chunkBytes = 16 << 10
  private val sumBytes = Integer.BYTES
  private val unchecked = 0
  private val crc32c = 2
  private val checksums =
    Map[Int, () => Checksum](1 -> (() => new CRC32), crc32c -> (() => new CRC32C))

  private val gzip = 1
  private val codecs = Vector("LZO", "GZ", "NONE", "SNAPPY", "LZ4", "BZIP2", "ZSTD")

  /** Returns the bytes of a block.
    * @param previous position of the data block before it, -1 if there is none */
  def bytes(magic: String, body: Array[Byte], previous: Long): Array[Byte] = {
    val checked = headBytes + body.length
    val sums = chunks(checked, chunkBytes) * sumBytes
    val block = ByteBuffer.allocate(checked + sums)
    block.put(magic.getBytes(US_ASCII)).putInt(body.length + sums).putInt(body.length)
    block.putLong(previous).put(crc32c.toByte).putInt(chunkBytes).putInt(checked).put(body)
    sumsOf(block.slice(0, checked), chunkBytes, new CRC32C).foreach(block.putInt)
    block.array
  }

  /** Reads the next block, and returns its uncompressed body.
    * @param codec number of a compression codec */
  def body(file: HFileCursor, magic: String, codec: Int): HFileCursor = {
    val block = file.ahead
    if (file.text(magicBytes) != magic) file.fail(s"it has no block $magic where one is expected")
    val onDisk, unpacked = file.int()
    file.long(): Unit
    val kind = file.byte().toInt
    val chunk, checked = file.int()
    val packed = checked - headBytes
    if (packed < 0 || onDisk < packed || onDisk > file.remaining)
      file.fail(s"the sizes $onDisk and $checked of a block contradict each other")
    val body = file.part(packed)
    check(file, kind, chunk, block.slice(0, checked), file.slice(onDisk - packed))
    codec match {
      case `noCodec` if unpacked == packed => body
      case `gzip` if unpacked >= 0 => unzipped(body, unpacked)
      case `noCodec` | `gzip` => file.fail(s"a block of $packed bytes declares $unpacked")
      case other => file.refuse(s"its compression is ${codecs.lift(other).getOrElse(other)}")
    }
  }

  private def check(
      file: HFileCursor,
      kind: Int,
      chunk: Int,
      checked: ByteBuffer,
      sums: ByteBuffer
  ): Unit = {
    def expected = checksums.getOrElse(kind, () => file.fail(s"its checksum type is $kind"))
    val stored = sums.slice().asIntBuffer
    if (sums.remaining % sumBytes != 0) file.fail("a block has an incomplete checksum")
    if (kind == unchecked) {
      if (Iterator.fill(stored.remaining)(stored.get()).exists(_ != 0))
        file.fail("a block that declares no checksums has some")
    } else if (chunk <= 0 || chunks(checked.remaining, chunk) != stored.remaining)
      file.fail("the number of checksums of a block does not match its size")
    else if (sumsOf(checked, chunk, expected()).exists(_ != stored.get()))
      file.fail("the checksum of a block does not match its bytes")
  }

  private def sumsOf(checked: ByteBuffer, chunk: Int, sum: Checksum): Iterator[Int] =
    Iterator.range(0, checked.remaining, chunk).map { from =>
      sum.reset()
      sum.update(checked.slice(from, math.min(chunk, checked.remaining - from)))
      sum.getValue.toInt
    }

  private def chunks(bytes: Int, chunk: Int): Int = ((bytes + chunk - 1L) / chunk).toInt

  private def unzipped(body: HFileCursor, length: Int): HFileCursor =
    try {
      val packed = new ByteArrayInputStream(body.bytes(body.remaining))
      Using.resource(new GZIPInputStream(packed)) { in =>
        val bytes = in.readNBytes(length)
        if (bytes.length < length || in.read() >= 0)
          body.fail(s"a block does not contain $length bytes")
        body.over(bytes)
      }
    } catch {
      case e: IOException => throw body.corrupt(s"a block cannot be decompressed (${e.getMessage})")
    }
}
