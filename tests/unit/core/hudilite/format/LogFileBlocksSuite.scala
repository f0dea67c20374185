package hudilite.format

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.US_ASCII

import org.scalatest.funsuite.AnyFunSuite

import hudilite.RandomText
import hudilite.error.HudiliteException

/** Log files of merge-on-read tables, with what a dead writer leaves in them. */
class LogFileBlocksSuite extends AnyFunSuite {
  private val path = "file:/t/.f_20260101000000000.log.1_0-1-0"
  private val one = BlockBytes.data("20260101000000001", 1, 2, 3)
  private val two = BlockBytes.data("20260101000000002", 4)
  private val random = new RandomText("LogFileBlocksSuite")

  private def read(bytes: Array[Byte]) = LogFileBlocks.read(bytes, path)

  private def instants(found: LogFileBlocks) = found.blocks.map(_.instant.get.takeRight(1))

  private def condition(bytes: Array[Byte]) = {
    val error = intercept[HudiliteException](read(bytes))
    assert(error.getMessage.contains(path), error.getMessage)
    error.condition
  }

  test("a rollback block of stock Hudi is read") {
    val found = read(BlockBytes.stockRollback)
    val Vector(block) = found.blocks: @unchecked
    assert(block.kind == LogBlock.command && block.instant.contains("20261124212602959"))
    assert(block.targetInstant.contains("20261124212558565"))
    assert(block.commandType.contains(LogBlock.rollback) && found.torn.isEmpty)
    assert(!block.buffer.hasRemaining && block.schema.isEmpty && !block.isPartial)
    assert(block.compactedInstants.isEmpty)
  }

  test("a header has what a reader needs, and unknown numbers are ignored") {
    val header = Seq(0 -> "i", 2 -> "{}", 4 -> "a,b,c", 7 -> "true", 99 -> "x", 6 -> "0,1")
    val Vector(block) = read(BlockBytes.of(LogBlock.avroData, header: _*)(7)).blocks: @unchecked
    assert(block.kind == LogBlock.avroData && block.instant.contains("i"))
    assert(block.schema.contains("{}") && block.isPartial)
    assert(block.compactedInstants == Vector("a", "b", "c"))
    assert(block.content.toSeq == Seq[Byte](7) && block.buffer.get() == 7)
    val Vector(deletes) = read(BlockBytes.of(LogBlock.delete, header: _*)(7)).blocks: @unchecked
    assert(deletes.instant.contains("i") && !deletes.isPartial)
    assert(block.buffer.remaining == 1)
  }

  test("the content of a block is copied only where it is asked for as an array, and not kept") {
    val file = one.clone
    val Vector(block) = read(file).blocks: @unchecked
    val last = file.length - 13 // in front of the footer and the length
    file(last) = 8
    assert(block.buffer.get(2) == 8)
    assert(block.content.toSeq == Seq[Byte](1, 2, 8))
    file(last) = 9
    assert(block.content.toSeq == Seq[Byte](1, 2, 9))
  }

  test("of a file that is cut anywhere, the whole blocks are read") {
    val file = one ++ two
    assert(instants(read(file)) == Vector("1", "2") && read(file).torn.isEmpty)
    (0 until file.length).foreach { length =>
      val found = read(file.take(length))
      assert(instants(found) == (if (length < one.length) Vector() else Vector("1")), length)
      val whole = if (length < one.length) 0 else one.length
      assert(found.torn.map(_.offset) == (if (length == whole) Vector() else Vector(whole)), length)
    }
  }

  test("blocks that another writer appended to a torn one are read") {
    (1 until one.length).foreach { length =>
      val found = read(two ++ one.take(length) ++ two)
      assert(instants(found) == Vector("2", "2"), length)
      assert(found.torn.map(_.offset) == Vector(two.length), length)
    }
    val twice = read(one.take(40) ++ one.take(50) ++ two)
    assert(instants(twice) == Vector("2") && twice.torn.map(_.offset) == Vector(0, 40))
  }

  test("a torn block has the instant of its header, if that is whole") {
    def torn(length: Int) = read(one.take(length)).torn.map(_.instant)
    val header = 14 + 3 * 4 + 2 * 4 + 17
    assert(torn(header) == Vector(Some("20260101000000001")))
    assert(torn(header - 1) == Vector(None))
    assert(torn(one.length - 1) == Vector(Some("20260101000000001")))
  }

  test("a block whose lengths are damaged is left out, and the following blocks are read") {
    for (at <- Seq(0, 6, 10, one.length - 8, one.length - 4); value <- Seq(-1, 0, Int.MaxValue)) {
      val damaged = one.clone
      ByteBuffer.wrap(damaged).putInt(at, value)
      if (!damaged.sameElements(one)) {
        val found = read(damaged ++ two)
        assert(instants(found) == Vector("2"), s"$value at $at")
        assert(found.torn.map(_.offset) == Vector(0), s"$value at $at")
      }
    }
  }

  test("zeros at the end of a file, as a crash of the machine leaves them, are torn") {
    val found = read(one ++ new Array[Byte](64))
    assert(instants(found) == Vector("1") && found.torn.map(_.offset) == Vector(one.length))
  }

  test("a whole block of another version is an error that names the file") {
    Seq(0, 2).foreach { version =>
      val other = one.clone
      ByteBuffer.wrap(other).putInt(14, version)
      assert(condition(other ++ two) == "HUDILITE_CORRUPT_DATA_FILE", version)
    }
  }

  test("a block that is damaged between right lengths is an error") {
    for (at <- Seq(22, 30, one.length - 23, one.length - 12)) {
      val damaged = one.clone
      ByteBuffer.wrap(damaged).putInt(at, 1000)
      assert(condition(damaged) == "HUDILITE_CORRUPT_DATA_FILE", at)
    }
  }

  test("random bytes between blocks never hide a block") {
    (1 to 200).foreach { _ =>
      val noise = random.text(20).getBytes(US_ASCII)
      val found = read(one ++ noise ++ two ++ noise ++ one)
      assert(instants(found) == Vector("1", "2", "1"))
      val offsets = Vector(one.length, one.length + noise.length + two.length)
      assert(found.torn.map(_.offset) == (if (noise.isEmpty) Vector() else offsets))
    }
  }
}
