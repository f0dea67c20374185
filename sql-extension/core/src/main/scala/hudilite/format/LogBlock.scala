package hudilite.format

import java.io.{ByteArrayOutputStream, DataOutputStream}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}

/** Block of one of Hudi's log files: a header, the content and an empty footer. All numbers are
  * big-endian.
  * @param kind    number of the content's kind, see [[LogBlock.hfile]]
  * @param header  texts of the header, by their numbers
  * @param content bytes between header and footer
  * Source: table-versions §4.5. */
final class LogBlock(val kind: Int, header: Map[Int, String], val content: Array[Byte]) {

  /** Returns the instant whose commit wrote the block. */
  def instant: Option[String] = header.get(LogBlock.instantKey)

  /** Returns the Avro JSON of the schema of the block's records. */
  def schema: Option[String] = header.get(LogBlock.schemaKey)
}

object LogBlock {

  /** Kind of a block that deletes keys. */
  val delete = 1

  /** Kind of a block whose content is an HFile. */
  val hfile = 4

  private val instantKey = 0
  private val schemaKey = 2
  private val magic = "#HUDI#"
  private val version = 1

  /** Bytes of a block besides header and content: version, kind, number of the header's entries,
    * length of the content, number of the footer's entries, and the block's length once more. */
  private val otherBytes = 4 * Integer.BYTES + 2 * java.lang.Long.BYTES

  /** Returns the bytes of a block whose content is an HFile.
    * @param instant instant whose commit writes it
    * @param schema  Avro JSON of the schema of its records
    * @param content a whole HFile */
  def bytes(instant: String, schema: String, content: Array[Byte]): Array[Byte] = {
    val header = Seq(instantKey -> instant, schemaKey -> schema).map { case (key, text) =>
      key -> text.getBytes(UTF_8)
    }
    val headerBytes = header.map { case (_, text) => 2 * Integer.BYTES + text.length }.sum
    val length = otherBytes.toLong + headerBytes + content.length
    val bytes = new ByteArrayOutputStream
    val out = new DataOutputStream(bytes)
    out.write(magic.getBytes(US_ASCII))
    out.writeLong(length)
    Seq(version, hfile, header.size).foreach(out.writeInt)
    header.foreach { case (key, text) =>
      out.writeInt(key)
      out.writeInt(text.length)
      out.write(text)
    }
    out.writeLong(content.length.toLong)
    out.write(content)
    out.writeInt(0)
    out.writeLong(length + magic.length)
    bytes.toByteArray
  }

  /** Reads all blocks of a log file.
    * @param path the file, for errors
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def read(bytes: Array[Byte], path: String): Vector[LogBlock] =
    Vector.unfold(new HFileCursor(ByteBuffer.wrap(bytes), path)) { file =>
      Option.when(file.remaining > 0)(block(file) -> file)
    }

  private def block(file: HFileCursor): LogBlock = {
    if (file.text(magic.length) != magic) file.fail("it has no block where one is expected")
    val length = file.long()
    val body = file.part(counted(file, length))
    val stated = body.int()
    if (stated != version) body.fail(s"a block has the unknown version $stated")
    val kind = body.int()
    val header = texts(body)
    val content = body.bytes(counted(body, body.long()))
    texts(body): Unit
    if (body.long() != length + magic.length || body.remaining > 0)
      body.fail("the lengths at both ends of a block differ")
    new LogBlock(kind, header, content)
  }

  private def texts(body: HFileCursor): Map[Int, String] =
    Vector.fill(body.int())(body.int() -> body.text(body.int())).toMap

  private def counted(cursor: HFileCursor, length: Long): Int =
    if (length < 0 || length > cursor.remaining)
      cursor.fail(s"it declares $length bytes, but only ${cursor.remaining} are left")
    else length.toInt
}
