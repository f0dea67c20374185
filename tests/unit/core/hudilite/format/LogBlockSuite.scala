package hudilite.format

import java.nio.ByteBuffer
import java.util.Arrays

import org.scalatest.funsuite.AnyFunSuite

import hudilite.commit.KeptFiles
import hudilite.error.HudiliteException

/** Blocks of log files: stock Hudi's bytes are read, and ours have the same frame. */
class LogBlockSuite extends AnyFunSuite {
  private def hex(bytes: Array[Byte]) = bytes.map(b => f"$b%02x").mkString

  private def read(bytes: Array[Byte]) = LogBlock.read(bytes, "f.log")

  private def only(bytes: Array[Byte]): LogBlock = {
    val blocks = read(bytes)
    assert(blocks.size == 1)
    blocks.head
  }

  test("a block of stock Hudi is read, and its HFile") {
    val block = only(KeptFiles.stock("files-block.log"))
    assert(block.kind == LogBlock.hfile && block.instant.contains("20261126100131701"))
    assert(block.schema.map(_.length).contains(8910))
    val keys = HFile.read(block.content, "f.hfile").entries.map(_._1)
    assert(keys == Vector("__all_partitions__", "p=a", "p=b"))
  }

  test("the frame of a block has the bytes that stock Hudi reads") {
    val content = new Array[Byte](6539)
    val bytes = LogBlock.bytes("20261124211707223", KeptFiles.schema, content)
    assert(
      hex(bytes).startsWith("23485544" + "4923" + "0000000000003c9a" + "00000001" + "00000004" +
        "00000002" + "00000000" + "00000011" + hex("20261124211707223".getBytes) + "00000002" +
        "000022ce" + hex("""{"type":"record","name":"HoodieMetadataRecord",""".getBytes))
    )
    assert(hex(bytes).endsWith("00000000" + "0000000000003ca0"))
    assert(bytes.length == 0x3c9a + 14)
    val block = only(bytes)
    assert(block.instant.contains("20261124211707223") && block.kind == LogBlock.hfile)
    assert(block.schema.contains(KeptFiles.schema) && Arrays.equals(block.content, content))
  }

  test("blocks follow each other") {
    val one = LogBlock.bytes("20261124211707223", "{}", Array[Byte](1, 2))
    val two = LogBlock.bytes("20261124211707224", "{}", Array[Byte](3))
    assert(read(one ++ two).map(_.content.toSeq) == Vector(Seq[Byte](1, 2), Seq[Byte](3)))
  }

  test("a block that is cut, or whose lengths contradict each other, is an error") {
    val bytes = LogBlock.bytes("20261124211707223", "{}", Array[Byte](1, 2, 3))
    def condition(damaged: Array[Byte]) = intercept[HudiliteException](read(damaged)).condition
    (1 until bytes.length).foreach { length =>
      assert(condition(bytes.take(length)) == "HUDILITE_CORRUPT_TIMELINE", length)
    }
    for (at <- Seq(0, 6, 14, 22, bytes.length - 8); value <- Seq(-1, Int.MaxValue)) {
      val damaged = bytes.clone
      ByteBuffer.wrap(damaged).putInt(at, value)
      assert(condition(damaged) == "HUDILITE_CORRUPT_TIMELINE", s"$value at $at")
    }
  }
}
