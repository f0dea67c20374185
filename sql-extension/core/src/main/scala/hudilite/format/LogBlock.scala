package hudilite.format

import java.io.{ByteArrayOutputStream, DataOutputStream}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}

import hudilite.error.HudiliteException

/** Block of one of Hudi's log files: a header, the content and an empty footer. All numbers are
  * big-endian.
  * @param kind   number of the content's kind, such as [[LogBlock.avroData]]
  * @param header texts of the header by their numbers; numbers without an accessor are ignored
  * @param bytes  content, a part of the file's bytes
  * Source: table-versions §4.5, merge-on-read §1. */
final class LogBlock(val kind: Int, header: Map[Int, String], bytes: ByteBuffer) {

  /** Returns a copy of the content. */
  def content: Array[Byte] = {
    val copy = new Array[Byte](bytes.remaining)
    buffer.get(copy)
    copy
  }

  /** Returns the content without a copy. The buffer's position is its own. */
  def buffer: ByteBuffer = bytes.asReadOnlyBuffer

  /** Returns the instant whose commit wrote the block. */
  def instant: Option[String] = header.get(LogBlock.instantKey)

  /** Returns the instant whose blocks a rollback block removes. */
  def targetInstant: Option[String] = header.get(LogBlock.targetInstantKey)

  /** Returns the Avro JSON of the schema of the block's records. */
  def schema: Option[String] = header.get(LogBlock.schemaKey)

  /** Returns the number of the command of a command block, see [[LogBlock.rollback]]. */
  def commandType: Option[String] = header.get(LogBlock.commandTypeKey)

  /** Returns the instants whose blocks a log compaction has merged into this one, else none. */
  def compactedInstants: Vector[String] =
    header.get(LogBlock.compactedInstantsKey).toVector.flatMap(_.split(',')).filter(_.nonEmpty)

  /** Whether the block has rows with only the columns that an update changed. */
  def isPartial: Boolean =
    kind != LogBlock.delete && header.get(LogBlock.isPartialKey).contains("true")

  /** Whether the block has whole rows or deletions of one commit, and changes nothing that other blocks
    * mean. */
  def isPlain: Boolean = LogBlock.plain(kind) && instant.nonEmpty && !isPartial &&
    compactedInstants.isEmpty
}

object LogBlock {

  /** Kind of a block without content that changes what other blocks mean. */
  val command = 0

  /** Kind of a block that deletes keys. */
  val delete = 1

  /** Kind of a block of rows in Avro's binary form. */
  val avroData = 3

  /** Kind of a block whose content is an HFile. */
  val hfile = 4

  /** Kind of a block whose content is a Parquet file. */
  val parquetData = 5

  /** Kind of a block of changes for Hudi's CDC queries. */
  val cdc = 6

  private val plain = Set(delete, avroData, parquetData)

  /** Command type of a rollback. */
  val rollback = "0"

  /** Numbers of the header's texts. */
  private[hudilite] val instantKey = 0
  private[hudilite] val targetInstantKey = 1
  private[hudilite] val schemaKey = 2
  private[hudilite] val commandTypeKey = 3
  private[hudilite] val compactedInstantsKey = 4
  private[hudilite] val isPartialKey = 7

  /** First bytes of a block. */
  private[format] val magic = "#HUDI#".getBytes(US_ASCII)
  private val version = 1

  /** Bytes in front of those that a block's length counts. */
  private val prefix = magic.length + java.lang.Long.BYTES

  /** Bytes of a block besides header and content: version, kind, number of the header's entries,
    * length of the content, number of the footer's entries, and the block's length once more. */
  private val otherBytes = 4 * Integer.BYTES + 2 * java.lang.Long.BYTES

  /** Least length of a block of any version: its version, and the length once more. */
  private val leastLength = Integer.BYTES + java.lang.Long.BYTES

  /** Returns the bytes of a block whose content is an HFile.
    * @param instant instant whose commit writes it
    * @param schema  Avro JSON of the schema of its records
    * @param content a whole HFile */
  def bytes(instant: String, schema: String, content: Array[Byte]): Array[Byte] =
    bytes(hfile, Seq(instantKey -> instant, schemaKey -> schema), content)

  /** Returns the bytes of a block.
    * @param kind   number of the content's kind
    * @param header texts of the header with their numbers */
  private[hudilite] def bytes(
      kind: Int,
      header: Seq[(Int, String)],
      content: Array[Byte]
  ): Array[Byte] = {
    val texts = header.map { case (key, text) => key -> text.getBytes(UTF_8) }
    val headerBytes = texts.map { case (_, text) => 2 * Integer.BYTES + text.length }.sum
    val length = otherBytes.toLong + headerBytes + content.length
    val bytes = new ByteArrayOutputStream
    val out = new DataOutputStream(bytes)
    out.write(magic)
    out.writeLong(length)
    Seq(version, kind, texts.size).foreach(out.writeInt)
    texts.foreach { case (key, text) =>
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

  /** Reads all blocks of a log file of the metadata table, which has no other bytes. See
    * [[LogFileBlocks]] for other tables.
    * @param path the file, for errors
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def read(bytes: Array[Byte], path: String): Vector[LogBlock] = {
    val file = ByteBuffer.wrap(bytes)
    Vector.unfold(0) { at =>
      Option.when(at < file.limit) {
        end(file, at) match {
          case Right(end) => block(file, at, end, path, HFileCursor.corrupt(_, _)) -> end
          case Left(reason) => throw HFileCursor.corrupt(path, reason)
        }
      }
    }
  }

  /** Returns where the block at a position ends, or why no whole block is there: its first bytes are
    * others, it is longer than the file, or the lengths at its both ends differ. */
  private[format] def end(file: ByteBuffer, at: Int): Either[String, Int] = {
    val left = file.limit - at
    if (!magic.indices.forall(i => i < left && file.get(at + i) == magic(i)))
      Left("it has no block where one is expected")
    else if (left < prefix) Left("it declares a block, but ends within its first bytes")
    else endOf(file, at + prefix, file.getLong(at + magic.length))
  }

  private def endOf(file: ByteBuffer, start: Int, length: Long): Either[String, Int] = {
    val left = file.limit - start
    if (length < leastLength || length > left)
      Left(s"it declares $length bytes, but only $left are left")
    else {
      val end = start + length.toInt
      Either.cond(
        file.getLong(end - java.lang.Long.BYTES) == length + magic.length,
        end,
        "the lengths at both ends of a block differ"
      )
    }
  }

  /** Reads the whole block between two positions.
    * @param path    the file, for errors
    * @param damaged returns the error for the path and a reason
    * Errors: those of `damaged`. */
  private[format] def block(
      file: ByteBuffer,
      at: Int,
      end: Int,
      path: String,
      damaged: (String, String) => HudiliteException
  ): LogBlock = {
    val length = end - at - prefix - java.lang.Long.BYTES
    val body = new HFileCursor(file.slice(at + prefix, length), path, damaged)
    val (kind, header) = kindAndHeader(body)
    val content = body.slice(counted(body, body.long()))
    texts(body): Unit
    if (body.remaining > 0) body.fail("the length of a block differs from that of its parts")
    new LogBlock(kind, header, content)
  }

  /** Returns the header of a block of which a part may be missing.
    * @param torn bytes from the block's first one on
    * Errors: those of `damaged` if the header is not whole. */
  private[format] def header(
      torn: ByteBuffer,
      path: String,
      damaged: (String, String) => HudiliteException
  ): Map[Int, String] = {
    val cursor = new HFileCursor(torn, path, damaged)
    cursor.slice(prefix): Unit
    kindAndHeader(cursor)._2
  }

  private def kindAndHeader(body: HFileCursor): (Int, Map[Int, String]) = {
    val stated = body.int()
    if (stated != version) body.fail(s"a block has the unknown version $stated")
    body.int() -> texts(body)
  }

  private def texts(body: HFileCursor): Map[Int, String] =
    Vector.fill(body.int())(body.int() -> body.text(body.int())).toMap

  private def counted(cursor: HFileCursor, length: Long): Int =
    if (length < 0 || length > cursor.remaining)
      cursor.fail(s"it declares $length bytes, but only ${cursor.remaining} are left")
    else length.toInt
}
