package hudilite.format

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

/** A read HFile, the sorted map that Hudi keeps its bootstrap index in; blocks of data are decoded
  * as they are asked for.
  * @param info what the file tells of itself, by name */
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

  /** Every entry in the file's order.
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
        s"it holds ${found.size} entries, and its trailer counts ${trailer.entries}"
      )
    found
  }

  /** The value of a key; at most one block is decoded.
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

  /** What the index tells of a block of data.
    * @param first  a key up to the block's first, above all of the block before
    * @param offset where it starts
    * @param length bytes, with head and checksums */
  private[format] final case class Block(first: Array[Byte], offset: Long, length: Int)

  /** A whole file.
    * @param entries in any order; keys differ, and have up to 32,767 bytes
    * @param info    further things that the file tells of itself
    * @param created milliseconds since 1970
    * Source: hudi-format §8.5; the same as stock Hudi 1.2 writes, but for the checksums. */
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
    if (end < 0) throw HFileCursor.corrupt(path, s"it has no more than ${bytes.length} bytes")
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
      index.fail(s"its index does not hold ${trailer.blocks} blocks")
    val found = Vector.fill(trailer.blocks.toInt) {
      val offset = index.long()
      val length = index.int()
      if (length < 0 || offset < 0 || offset > trailer.open - length)
        index.fail(s"its index has $length bytes at $offset as a block")
      Block(rowOf(index.hadoopPart()), offset, length)
    }
    if (index.remaining > 0) index.fail(s"its index holds more than ${trailer.blocks} blocks")
    found
  }

  /** A key as a cell has it, without the parts that HBase adds. */
  private def rowOf(key: HFileCursor): Array[Byte] = key.bytes(key.short())

  private def pairs(body: HFileCursor): Map[String, Array[Byte]] = {
    if (body.text(infoMagic.length) != infoMagic) body.fail("its file info is no protocol buffer")
    body
      .protoPart()
      .protoFields()
      .collect { case (1, Right(pair)) => pair.protoFields() }
      .map(_.collect { case (field, Right(part)) => field -> part.bytes(part.remaining) }.toMap)
      .map(pair => new String(needed(body, pair, 1), UTF_8) -> needed(body, pair, 2))
      .toMap
  }

  private def needed(body: HFileCursor, pair: Map[Int, Array[Byte]], field: Int): Array[Byte] =
    pair.getOrElse(field, body.fail("its file info has a name or a value alone"))
}
