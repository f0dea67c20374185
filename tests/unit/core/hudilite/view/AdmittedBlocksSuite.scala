package hudilite.view

import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.format.{BlockBytes, LogBlock, LogFileBlocks}

/** Which blocks of log files apply. A block's content is one byte, by which the tests name it. */
class AdmittedBlocksSuite extends AnyFunSuite {
  private val path = "file:/t/p=a/.f_0.log.1_0-1-0"

  private def blocks(bytes: Seq[Array[Byte]]) =
    LogFileBlocks.read(bytes.flatten.toArray, path).blocks.map(AdmittedBlocks.InFile(path, _))

  /** Names of the blocks that apply, if all instants are committed but some. */
  private def admitted(bytes: Array[Byte]*)(pending: String*): Seq[Int] =
    AdmittedBlocks.of(blocks(bytes), !pending.contains(_)).map(_.block.content.head.toInt)

  private def compacted(time: String, originals: String, content: Byte): Array[Byte] =
    BlockBytes.of(
      LogBlock.avroData,
      BlockBytes.instant -> time,
      BlockBytes.compactedInstants -> originals
    )(content)

  private def error(bytes: Array[Byte]*)(pending: String*) = {
    val found = intercept[HudiliteException](admitted(bytes: _*)(pending: _*))
    assert(found.getMessage.contains(".f_0.log.1_0-1-0"), found.getMessage)
    found
  }

  private val data1 = BlockBytes.data("i1", 1)
  private val data2 = BlockBytes.data("i2", 2)
  private val data3 = BlockBytes.data("i3", 3)
  private val delete2 = BlockBytes.of(LogBlock.delete, BlockBytes.instant -> "i2")(22)

  test("blocks of committed instants apply in the order of the files") {
    assert(admitted(data1, data2, delete2, data3)() == Seq(1, 2, 22, 3))
    assert(admitted(data1, data2, delete2, data3)("i2") == Seq(1, 3))
    assert(admitted(data1)("i1").isEmpty && admitted()().isEmpty)
  }

  test("instants stand in the order in which they appear, with all their blocks") {
    val again = BlockBytes.data("i1", 11)
    assert(admitted(data3, data1, data2, again)() == Seq(3, 1, 11, 2))
  }

  test("a block has the name of its file") {
    val Vector(one, two) = blocks(Seq(data1, data2)): @unchecked
    val other = two.copy(file = "other.log")
    assert(AdmittedBlocks.of(Seq(one, other), _ => true) == Vector(one, other))
  }

  test("a rollback removes the blocks of its instant that come before it") {
    val rollback = BlockBytes.rollback("i9", "i1")
    assert(admitted(data1, data2, rollback, data3)() == Seq(2, 3))
    assert(admitted(data1, data2, rollback, BlockBytes.data("i1", 11))() == Seq(2, 11))
    assert(admitted(rollback, data1)() == Seq(1))
    assert(admitted(data1, data2, rollback)("i9") == Seq(2))
  }

  test("rows with operations, of which some are deletions, are refused") {
    def block(schema: String) =
      BlockBytes.of(LogBlock.avroData, BlockBytes.instant -> "i1", BlockBytes.schema -> schema)(1)
    assert(admitted(block("""{"name":"_hoodie_operations"}"""))() == Seq(1))
    val stored = block("""{"name":"_hoodie_operation"}""")
    assert(error(stored)().condition == "HUDILITE_UNSUPPORTED_TABLE")
    assert(admitted(stored)("i1").isEmpty)
  }

  test("blocks for CDC queries are passed over") {
    val cdc = BlockBytes.of(LogBlock.cdc)(6)
    assert(admitted(data1, cdc, data2)() == Seq(1, 2))
  }

  test("a compacted block stands where the newest block was that it replaces") {
    val merged = compacted("i4", "i1,i2", 4)
    assert(admitted(data1, data2, delete2, data3, merged)() == Seq(4, 3))
    assert(admitted(data1, data3, data2, merged)() == Seq(3, 4))
    val more = BlockBytes.of(LogBlock.delete, BlockBytes.instant -> "i4", 4 -> "i1,i2")(44)
    assert(admitted(data1, data2, data3, merged, more)() == Seq(4, 44, 3))
  }

  test("a block that is compacted twice appears once") {
    val first = compacted("i4", "i1,i2", 4)
    val second = compacted("i6", "i4,i3", 6)
    val after = BlockBytes.data("i7", 7)
    assert(admitted(data1, data2, first, data3, second, after)() == Seq(6, 7))
    assert(admitted(data1, first, data3, second)("i6") == Seq(4, 3))
  }

  test("the originals apply as long as a compaction is not committed, or if it is rolled back") {
    val merged = compacted("i4", "i1,i2", 4)
    assert(admitted(data1, data2, data3, merged)("i4") == Seq(1, 2, 3))
    val rollback = BlockBytes.rollback("i5", "i4")
    assert(admitted(data1, data2, data3, merged, rollback)() == Seq(1, 2, 3))
  }

  test("an unknown kind of block is refused by name, unless it is not committed") {
    Seq(LogBlock.hfile -> "hfile", 2 -> "2", 7 -> "7").foreach { case (kind, name) =>
      val block = BlockBytes.of(kind, BlockBytes.instant -> "i2")(5)
      val refused = error(data1, block)()
      assert(refused.condition == "HUDILITE_UNSUPPORTED_TABLE")
      assert(refused.getMessage.contains(s"block of kind = '$name'"), refused.getMessage)
      assert(admitted(data1, block)("i2") == Seq(1))
    }
  }

  test("a command that is no rollback is refused by name") {
    val refused = error(BlockBytes.of(LogBlock.command, BlockBytes.commandType -> "1")())()
    assert(refused.condition == "HUDILITE_UNSUPPORTED_TABLE")
    assert(refused.getMessage.contains("command block of type = '1'"), refused.getMessage)
  }

  test("a block without the instant that it needs is damaged") {
    val without = Seq(
      BlockBytes.of(LogBlock.parquetData)(1),
      BlockBytes.of(LogBlock.delete)(1),
      BlockBytes.of(LogBlock.command, BlockBytes.commandType -> "0")()
    )
    without.foreach(block => assert(error(block)().condition == "HUDILITE_CORRUPT_DATA_FILE"))
  }
}
