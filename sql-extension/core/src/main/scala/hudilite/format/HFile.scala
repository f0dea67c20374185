package hudilite.format

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

/** HFile that was read: the sorted map in which Hudi stores its bootstrap index. Data blocks are
  * decoded only when they are needed.
  * @param info entries of the file info block, by name */
final class HFile private (
    data: ByteBuffer,
    path: String,
    trailer: HFileTrailer,
    blocks: Vector[HFile.Block],
    val info: Map[String, Array[Byte]]
) {
  import HFile._

  private val hasVersions =
    info.get(versioned).exists(Arrays.equals(_, Array[Byte](0, 0, 0, 1)))

  /** Returns all entries in the order of the file.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def entries: Vector[(String, Array[Byte])] = {
    val found = blocks.flatMap { block =>
      val body = open(block)
      cells(body).map { case (row, value) =>
        new String(row, UTF_8) -> value.bytes(value.remaining)
      }
    }
    if (found.size.toLong != trailer.entries)
      throw HFileCursor.corrupt(
        path,
        s"it contains ${found.size} entries, but its trailer counts ${trailer.entries}"
      )
    found
  }

  /** Returns the value of a key; decodes at most one block.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def find(key: String): Option[Array[Byte]] = {
    val wanted = key.getBytes(UTF_8)
    blocks.findLast(b => Arrays.compareUnsigned(b.first, wanted) <= 0).flatMap { block =>
      cells(open(block)).collectFirst {
        case (row, value) if Arrays.equals(row, wanted) => value.bytes(value.remaining)
      }
    }
  }

  private def open(block: Block): HFileCursor = HFileBlock.body(
    new HFileCursor(data.slice(block.offset.toInt, block.length), path),
    HFileBlock.data,
    trailer.codec
  )

  private def cells(body: HFileCursor): Iterator[(Array[Byte], HFileCursor)] =
    Iterator.continually(body).takeWhile(_.remaining > 0).map { cell =>
      val keyBytes, valueBytes = cell.int()
      val row = rowOf(cell.part(keyBytes))
      val value = cell.part(valueBytes)
      if (hasVersions) cell.hadoopLong(): Unit
      row -> value
    }
}

object HFile {
  private[format] val infoMagic = "PBUF"
  private[format] val versioned = "KEY_VALUE_VERSION"
  private val leastIndexBytes = java.lang.Long.BYTES + Integer.BYTES + 1

  /** Data block as the index of the file describes it.
    * @param first  a key not above the block's first key, and above all keys of the block before
    * @param offset position of its first byte
    * @param length bytes, with header and checksums */
  private[format] final case class Block(first: Array[Byte], offset: Long, length: Int)

  /** Returns the bytes of a new HFile.
    * @param entries entries in any order; their keys differ and have at most 32,767 bytes
    * @param info    additional entries of the file info block
    * @param created milliseconds since 1970
    * Source: hudi-format §8.5. The bytes are those of stock Hudi 1.2, except for the checksums, and
    * for the form of the keys in the index and of the last key. */
  def bytes(
      entries: Seq[(String, Array[Byte])],
      info: Seq[(String, Array[Byte])],
      created: Long
  ): Array[Byte] = HFileWriter.bytes(entries, info, created)

  /** Opens a file of version 3 that stock Hudi wrote, by its own writer or by HBase's.
    * @param path the file, for errors
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def read(bytes: Array[Byte], path: String): HFile = {
    val whole = ByteBuffer.wrap(bytes)
    val end = bytes.length - HFileTrailer.length
    if (end < 0) throw HFileCursor.corrupt(path, s"it has only ${bytes.length} bytes")
    val trailer = HFileTrailer.read(new HFileCursor(whole.slice(end, HFileTrailer.length), path))
    val rest = new HFileCursor(whole.slice(0, end), path)
    if (trailer.open < 0 || trailer.open > end)
      rest.fail(s"its index starts at ${trailer.open}, after its end")
    val data = rest.slice(trailer.open.toInt)
    val index = HFileBlock.body(rest, HFileBlock.index, trailer.codec)
    HFileBlock.body(rest, HFileBlock.index, trailer.codec): Unit
    val info = pairs(HFileBlock.body(rest, HFileBlock.fileInfo, trailer.codec))
    new HFile(data, path, trailer, blocks(index, trailer), info)
  }

  private def blocks(index: HFileCursor, trailer: HFileTrailer): Vector[Block] = {
    if (trailer.blocks < 0 || trailer.blocks > index.remaining / leastIndexBytes)
      index.fail(s"its index does not contain ${trailer.blocks} blocks")
    val found = Vector.fill(trailer.blocks.toInt) {
      val offset = index.long()
      val length = index.int()
      if (length < 0 || offset < 0 || offset > trailer.open - length)
        index.fail(s"its index refers to an impossible block of $length bytes at $offset")
      Block(rowOf(index.hadoopPart()), offset, length)
    }
    if (index.remaining > 0) index.fail(s"its index contains more than ${trailer.blocks} blocks")
    found
  }

  /** Returns the row key of a cell, without the parts that HBase adds. */
  private def rowOf(key: HFileCursor): Array[Byte] = key.bytes(key.short())

  private def pairs(body: HFileCursor): Map[String, Array[Byte]] = {
    if (body.text(infoMagic.length) != infoMagic)
      body.fail("its file info is not a protocol buffer")
    body
      .protoPart()
      .protoFields()
      .collect { case (1, Right(pair)) => pair.protoFields() }
      .map(_.collect { case (field, Right(part)) => field -> part.bytes(part.remaining) }.toMap)
      .map(pair => new String(needed(body, pair, 1), UTF_8) -> needed(body, pair, 2))
      .toMap
  }

  private def needed(body: HFileCursor, pair: Map[Int, Array[Byte]], field: Int): Array[Byte] =
    pair.getOrElse(field, body.fail("its file info has a name without a value"))
}
