package hudilite.format

import java.io.{ByteArrayOutputStream, DataOutputStream}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}

import org.apache.hadoop.io.WritableUtils

/** Writer of an HFile of version 3, without compression.
  * Source: hudi-format §8.5. */
private[format] object HFileWriter {
  private val blockBytes = 64 << 10
  private val put: Byte = 4

  /** Bytes that a serialized key has besides the row key: length of the row key, then length of the
    * family, timestamp and type of the cell. */
  private val keyExtraBytes = java.lang.Short.BYTES + 1 + java.lang.Long.BYTES + 1

  /** Bytes that a cell has besides key and value: their lengths, and its version. */
  private val cellExtraBytes = 2 * Integer.BYTES + 1

  def bytes(
      entries: Seq[(String, Array[Byte])],
      info: Seq[(String, Array[Byte])],
      created: Long
  ): Array[Byte] = {
    val cells = entries.map { case (key, value) => Cell(rowOf(key), value) }
      .sortWith((a, b) => java.util.Arrays.compareUnsigned(a.row, b.row) < 0)
    val groups = grouped(cells)
    val out = new ByteArrayOutputStream
    val blocks = groups.foldLeft(Vector.empty[HFile.Block]) { (before, group) =>
      val offset = out.size.toLong
      val body = group.cells.foldLeft(ByteBuffer.allocate(group.bytes))((b, cell) => cell.to(b))
      out.writeBytes(
        HFileBlock.bytes(HFileBlock.data, body.array, before.lastOption.fold(-1L)(_.offset))
      )
      before :+ HFile.Block(group.cells.head.row, offset, (out.size - offset).toInt)
    }
    val open = out.size.toLong
    out.writeBytes(HFileBlock.bytes(HFileBlock.index, index(blocks), -1L))
    out.writeBytes(HFileBlock.bytes(HFileBlock.index, Array.emptyByteArray, -1L))
    val fileInfo = out.size.toLong
    out.writeBytes(HFileBlock.bytes(HFileBlock.fileInfo, pairs(facts(cells, info, created)), -1L))
    out.writeBytes(
      HFileTrailer.bytes(
        HFileTrailer(
          fileInfo,
          open,
          groups.map(_.bytes.toLong).sum,
          blocks.size.toLong,
          cells.size.toLong,
          blocks.headOption.fold(-1L)(_.offset),
          blocks.lastOption.fold(0L)(_.offset),
          HFileBlock.noCodec
        )
      )
    )
    out.toByteArray
  }

  private def rowOf(key: String): Array[Byte] = {
    val row = key.getBytes(UTF_8)
    require(row.length <= Short.MaxValue, s"INTERNAL: a key of an HFile has ${row.length} bytes")
    row
  }

  private final case class Cell(row: Array[Byte], value: Array[Byte]) {
    val bytes: Int = cellExtraBytes + keyExtraBytes + row.length + value.length

    def to(body: ByteBuffer): ByteBuffer = body
      .putInt(keyExtraBytes + row.length)
      .putInt(value.length)
      .put(keyOf(row))
      .put(value)
      .put(0: Byte)
  }

  private final case class Group(cells: Vector[Cell], bytes: Int)

  /** Splits cells into blocks of at most 64 KiB; a larger cell gets its own block. */
  private def grouped(cells: Seq[Cell]): Vector[Group] =
    cells.foldLeft(Vector.empty[Group]) { (groups, cell) =>
      groups.lastOption match {
        case Some(last) if last.bytes + cell.bytes <= blockBytes =>
          groups.init :+ Group(last.cells :+ cell, last.bytes + cell.bytes)
        case _ => groups :+ Group(Vector(cell), cell.bytes)
      }
    }

  /** Returns a complete serialized key. Hudi 1.2 omits its end in the index and in the last key.
    * Hudi 1.2 reads both forms, but the HBase of older releases reads only this one. */
  private def keyOf(row: Array[Byte]): Array[Byte] = ByteBuffer
    .allocate(keyExtraBytes + row.length)
    .putShort(row.length.toShort)
    .put(row)
    .put(0: Byte)
    .putLong(Long.MaxValue)
    .put(put)
    .array

  private def index(blocks: Vector[HFile.Block]): Array[Byte] = {
    val body = new ByteArrayOutputStream
    val out = new DataOutputStream(body)
    blocks.foreach { block =>
      val key = keyOf(block.first)
      out.writeLong(block.offset)
      out.writeInt(block.length)
      WritableUtils.writeVInt(out, key.length)
      out.write(key)
    }
    body.toByteArray
  }

  private def facts(
      cells: Seq[Cell],
      info: Seq[(String, Array[Byte])],
      created: Long
  ): Seq[(String, Array[Byte])] = {
    def mean(length: Cell => Int) =
      ofInt(if (cells.isEmpty) 0 else (cells.map(length(_).toLong).sum / cells.size).toInt)
    cells.lastOption.map(cell => "hfile.LASTKEY" -> keyOf(cell.row)).toSeq ++ Seq(
      "hfile.AVG_VALUE_LEN" -> mean(_.value.length),
      "hfile.AVG_KEY_LEN" -> mean(_.row.length),
      HFile.versioned -> ofInt(1),
      "MAX_MEMSTORE_TS_KEY" -> ofLong(0L)
    ) ++ info :+ "hfile.CREATE_TIME_TS" -> ofLong(created)
  }

  private def pairs(facts: Seq[(String, Array[Byte])]): Array[Byte] = {
    val message = new ByteArrayOutputStream
    facts.foreach { case (name, value) =>
      val pair = new ByteArrayOutputStream
      HFileProto.putBytes(pair, 1, name.getBytes(UTF_8))
      HFileProto.putBytes(pair, 2, value)
      HFileProto.putBytes(message, 1, pair.toByteArray)
    }
    val body = new ByteArrayOutputStream
    body.writeBytes(HFile.infoMagic.getBytes(US_ASCII))
    HFileProto.putCounted(body, message.toByteArray)
    body.toByteArray
  }

  private def ofInt(value: Int): Array[Byte] =
    ByteBuffer.allocate(Integer.BYTES).putInt(value).array

  private def ofLong(value: Long): Array[Byte] =
    ByteBuffer.allocate(java.lang.Long.BYTES).putLong(value).array
}
