package hudilite.format

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.US_ASCII

/** Trailer of an HFile: its last 4096 bytes.
  * @param fileInfo  position of the file info block
  * @param open      position of the data index; meta index and file info follow it
  * @param dataBytes bytes of the data blocks' bodies
  * @param blocks    number of data blocks
  * @param entries   number of entries
  * @param first     position of the first data block, -1 if there is none
  * @param last      position of the last data block
  * @param codec     number of the compression codec
  * Source: hudi-format §8.5. */
private[format] final case class HFileTrailer(
    fileInfo: Long,
    open: Long,
    dataBytes: Long,
    blocks: Long,
    entries: Long,
    first: Long,
    last: Long,
    codec: Int
)

private[format] object HFileTrailer {
  val length = 4096
  private val magic = "TRABLK\"$"
  private val version = 3
  private val comparator = "org.apache.hudi.io.storage.HoodieHBaseKVComparator"

  def bytes(trailer: HFileTrailer): Array[Byte] = {
    import trailer._
    val message = new ByteArrayOutputStream
    val numbers = Seq(fileInfo, open, dataBytes).zip(1 to 3) ++
      Seq(blocks, 0L, entries, 1L, first, last).zip(5 to 10)
    numbers.foreach { case (value, field) => HFileProto.putNumber(message, field, value) }
    HFileProto.putBytes(message, 11, comparator.getBytes(US_ASCII))
    HFileProto.putNumber(message, 12, codec.toLong)
    val counted = new ByteArrayOutputStream
    HFileProto.putCounted(counted, message.toByteArray)
    ByteBuffer
      .allocate(length)
      .put(magic.getBytes(US_ASCII))
      .put(counted.toByteArray)
      .putInt(length - Integer.BYTES, version)
      .array
  }

  /** Reads a trailer.
    * @param end cursor over the last 4096 bytes of a file */
  def read(end: HFileCursor): HFileTrailer = {
    val major = end.ahead.getInt(length - Integer.BYTES) & 0xffffff
    if (end.text(magic.length) != magic) end.fail("its end is not that of an HFile")
    if (major != version) end.refuse(s"it is an HFile of version $major")
    val fields = end.protoPart().protoFields()
    val numbers = fields.collect { case (field, Left(value)) => field -> value }
    if (numbers.map(_._1).distinct.size != numbers.size)
      end.fail("its trailer has a field twice")
    val known = numbers.toMap
    def number(field: Int): Long =
      known.getOrElse(field, end.fail(s"its trailer lacks field $field"))
    if (number(8) != 1) end.refuse(s"its data index has ${number(8)} levels")
    HFileTrailer(
      number(1),
      number(2),
      number(3),
      number(5),
      number(7),
      number(9),
      number(10),
      number(12).toInt
    )
  }
}
