package hudilite.format

import java.nio.ByteBuffer

import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.format.OrderingValue._

/** Deletions in log files. The bytes are those that the classes of stock Hudi 1.2.0 wrote. */
class DeleteRecordsSuite extends AnyFunSuite {
  private val path = "file:/t/p=a/.f_20260101000000000.log.1_0-1-0"

  private def read(hex: String) =
    DeleteRecords.read(ByteBuffer.wrap(BlockBytes.hex(hex)), path)

  private def orderings(hex: String) = read(hex).map(_.ordering)

  private def error(hex: String) = intercept[HudiliteException](read(hex))

  test("deletions without a value, or with the integer zero, are ordered by commit time") {
    val zero = "0000000b 02 02046b30 020270 0400 00"
    assert(read(s"00000003 $zero") == Vector(DeleteRecord("k0", Some("p"), CommitTime)))
    val none = "0000000a 02 02046b30 020270 00 00"
    assert(read(s"00000003 $none") == Vector(DeleteRecord("k0", Some("p"), CommitTime)))
    assert(read("00000003 00000001 00").isEmpty)
  }

  test("a deletion without a partition path has none") {
    val record = "00000003 00000009 02 02046b30 00 0400 00"
    assert(read(record) == Vector(DeleteRecord("k0", None, CommitTime)))
  }

  test("every type of an ordering value of stock Hudi is read") {
    val all = "00000003 00000073 14" +
      "02046b30 020270 0201" + "02046b31 020270 040e" + "02046b32 020270 060a" +
      "02046b33 020270 080000c03f" + "02046b34 020270 0a0000000000000440" +
      "02046b35 020270 0c040102" + "02046b36 020270 0e0273" + "02046b37 020270 1000" +
      "02046b38 020270 120e2c68af0bb14000" + "02046b39 020270 16a0d19601" + "00"
    assert(read(all).map(_.key) == (0 to 9).map(i => s"k$i"))
    assert(
      orderings(all) == Vector(
        OfBoolean(true),
        OfInt(7),
        OfLong(5),
        OfFloat(1.5f),
        OfDouble(2.5),
        OfBytes(Vector(1, 2)),
        OfString("s"),
        OfDate(0),
        OfDecimal(BigDecimal("12.5")),
        OfTimestampMicros(1234000)
      )
    )
    assert(orderings("00000003 0000000b 02 02046b30 020270 1402 00") == Vector(OfTimeMicros(1)))
  }

  test("values of several ordering fields are read, nulls and zeros among them") {
    val several = "00000003 00000014 02 02046b30 020270 18 02 06 0406 0e0262 0400 00 00"
    assert(
      orderings(several) ==
        Vector(OfSeveral(Vector(Some(OfInt(3)), Some(OfString("b")), Some(OfInt(0)))))
    )
    val withNull = "00000003 00000012 02 02046b30 020270 18 02 06 0606 00 1804 00 00"
    assert(
      orderings(withNull) == Vector(OfSeveral(Vector(Some(OfLong(3)), None, Some(OfDate(2)))))
    )
  }

  test("a long that is zero is a value") {
    assert(orderings("00000003 0000000b 02 02046b30 020270 0600 00") == Vector(OfLong(0)))
  }

  test("deletions are written as stock Hudi writes them") {
    def written(keys: (String, String)*) = DeleteRecords.bytes(keys).toSeq
    assert(written("2" -> "") == BlockBytes.hex("00000003 00000009 02 020232 0200 0400 00").toSeq)
    assert(written("k0" -> "p") ==
      BlockBytes.hex("00000003 0000000b 02 02046b30 020270 0400 00").toSeq)
    assert(written() == BlockBytes.hex("00000003 00000001 00").toSeq)
  }

  test("many deletions are read as they are written") {
    val keys = (0 until 5000).map(i => s"ключ-$i" -> s"p=${i % 3}")
    val found = DeleteRecords.read(ByteBuffer.wrap(DeleteRecords.bytes(keys)), path)
    assert(found == keys.map { case (key, p) => DeleteRecord(key, Some(p), CommitTime) })
  }

  test("reading does not move the position of the block's content") {
    val block = BlockBytes.of(LogBlock.delete)(DeleteRecords.bytes(Seq("k" -> "")).toSeq: _*)
    val content = LogFileBlocks.read(block, path).blocks.head.buffer
    assert((1 to 2).forall(_ => DeleteRecords.read(content, path).map(_.key) == Vector("k")))
  }

  test("older versions of the block are refused by name") {
    Seq(1, 2, 4).foreach { version =>
      val refused = error(f"$version%08x 00000001 00")
      assert(refused.condition == "HUDILITE_UNSUPPORTED_TABLE")
      assert(refused.getMessage.contains("table at file:/t/p=a has log file .f_2026"))
      assert(refused.getMessage.contains(s"delete block of version = '$version'"))
      assert(refused.getMessage.contains("run_compaction"))
    }
  }

  test("damaged deletions are an error that names the file") {
    val damaged = Seq(
      "00000003",
      "00000003 0000000b 02 02046b30 020270 0400", // cut
      "00000003 0000000a 02 02046b30 020270 0400 00", // length too small
      "00000003 0000000a 02 02046b30 020270 0400", // list without an end
      "00000003 00000002 00 00", // bytes after the list
      "00000003 00000008 02 00 020270 0400 00", // no key
      "00000003 0000000b 02 02046b30 020270 3000 00", // no such type
      "00000003 0000000b 02 02046b30 020270 1800 00" // no values
    )
    damaged.foreach { hex =>
      val found = error(hex)
      assert(found.condition == "HUDILITE_CORRUPT_DATA_FILE", hex)
      assert(found.getMessage.contains(path), hex)
    }
  }

  test("a list that declares more deletions than it has reserves no memory for them") {
    val count = "feffffffffffffffff01" // the greatest long
    assert(error(s"00000003 0000000a $count").condition == "HUDILITE_CORRUPT_DATA_FILE")
  }
}
