package hudilite.index

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}
import java.security.MessageDigest
import java.util.Base64

import com.fasterxml.jackson.databind.JsonNode
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.OracleFile.texts
import hudilite.error.HudiliteException
import hudilite.{OracleFile, RandomText}

class BloomFilterSuite extends AnyFunSuite {
  private val golden = OracleFile.rows("stock_blooms.json")

  private def bytes(key: String): Array[Byte] = key.getBytes(UTF_8)

  private def sha256(text: String): String =
    MessageDigest
      .getInstance("SHA-256")
      .digest(text.getBytes(US_ASCII))
      .map(b => f"$b%02x")
      .mkString

  private def keys(row: JsonNode): Seq[String] =
    if (row.has("keys")) texts(row.get("keys"))
    else (0 until row.get("count").asInt).map(row.get("prefix").asText + _)

  private def empty(row: JsonNode): BloomFilter =
    BloomFilter.create(row.get("entries").asLong, row.get("fpp").asDouble,
      row.get("typeCode").asText)

  private def refusal(base64: String, typeCode: String): String =
    refusal(BloomFilter.parse(base64, typeCode, "/f"))

  private def refusal(read: => Any): String = {
    val e = intercept[HudiliteException](read)
    assert(e.condition == "HUDILITE_CORRUPT_DATA_FILE" && e.parameters("path") == "/f")
    e.parameters("reason")
  }

  private def filled(entries: Long, count: Int): BloomFilter = {
    val filter = BloomFilter.create(entries)
    (0 until count).foreach(i => filter.add(bytes(s"k$i")))
    filter
  }

  test("the same keys give stock Hudi's bytes, also in several rows and past the limit") {
    golden.foreach { row =>
      val filter = empty(row)
      keys(row).foreach(key => filter.add(bytes(key)))
      val text = filter.serialize()
      assert(filter.typeCode == row.get("typeCode").asText)
      if (row.has("base64")) assert(text == row.get("base64").asText)
      else
        assert(
          text.length == row.get("length").asInt && sha256(text) == row.get("sha256").asText,
          row
        )
    }
  }

  test("a filter is read, says what it holds, and is written back unchanged") {
    golden.filter(_.has("base64")).foreach { row =>
      val (text, typeCode) = (row.get("base64").asText, row.get("typeCode").asText)
      val filter = BloomFilter.parse(text, typeCode)
      assert(filter.serialize() == text)
      keys(row).foreach(key => assert(filter.mightContain(bytes(key))))
      assert(!filter.mightContain(bytes("never added")))
    }
  }

  test("Hudi's default size") {
    val filter = BloomFilter.create(60000)
    assert(filter.serialize().length == 431380)
    assert(filter.entries == 60000 && filter.rowCount == 1)
    assert(BloomFilter.create(0).entries == 64)
  }

  test("positions of the key 1 in Hudi's default filter") {
    val hash = new BloomHash(2587966)
    hash.start(org.apache.spark.unsafe.types.UTF8String.fromString("1"))
    assert(Seq.fill(6)(hash.next()) == Seq(1460963, 105785, 1189081, 2066078, 47219, 588992))
  }

  test("a carried filter that is full grows by a row and forgets nothing") {
    val carried = BloomFilter.parse(filled(100, 100).serialize(), BloomFilter.Dynamic)
    (100 until 350).foreach(i => carried.add(bytes(s"k$i")))
    val read = BloomFilter.parse(carried.serialize(), carried.typeCode)
    assert(read.rowCount == 4)
    (0 until 350).foreach(i => assert(read.mightContain(bytes(s"k$i"))))
    assert((0 until 10000).count(i => read.mightContain(bytes(s"other$i"))) == 0)
  }

  test("a carried SIMPLE filter becomes a DYNAMIC_V0 one when it grows") {
    val row =
      golden.filter(r => r.get("typeCode").asText == BloomFilter.Simple && r.has("base64")).last
    val carried = BloomFilter.parse(row.get("base64").asText, BloomFilter.Simple)
    val count = row.get("count").asInt
    val rowCounts = (count until 200).map { i =>
      carried.add(bytes(s"k$i"))
      carried.rowCount
    }
    assert(math.abs(count + rowCounts.count(_ == 1) - carried.entries) <= 5)
    assert(carried.typeCode == BloomFilter.Dynamic && carried.rowCount > 1)
    val read = BloomFilter.parse(carried.serialize(), carried.typeCode)
    (0 until 200).foreach(i => assert(read.mightContain(bytes(s"k$i"))))
  }

  test("no key is ever forgotten") {
    val random = new RandomText("BloomFilterSuite")
    val keys = Seq.fill(2000)(random.text(8)).filter(_.nonEmpty)
    val filter = BloomFilter.create(500)
    keys.foreach(key => filter.add(bytes(key)))
    val read = BloomFilter.parse(filter.serialize(), filter.typeCode)
    keys.foreach(key => assert(read.mightContain(bytes(key)), s"seed ${random.seed}"))
  }

  test("the first hashes deny no key that a filter may hold, and most that it does not") {
    val random = new RandomText("BloomFilterSuite")
    Seq(1e-9, 0.3).foreach { fpp =>
      val filter = BloomFilter.create(300, fpp)
      val sought = new SortedKeys.Builder
      (0 until 1500).foreach { i =>
        val key = UTF8String.fromString(s"$i ${random.text(6)}")
        if (i % 2 == 0) filter.add(key)
        sought.add(key)
      }
      val keys = sought.result()
      val passed = (0 until keys.size).filter { i =>
        val first = filter.mightHold(keys.firstHashes, i * BloomHash.firsts)
        assert(first || !filter.mightContain(keys(i)), s"seed ${random.seed}")
        first
      }
      assert(passed.size >= 750 && passed.size < 1500, s"seed ${random.seed}")
    }
  }

  test("a filter of very many keys keeps within what can be read") {
    val filter = BloomFilter.create(Long.MaxValue / 2)
    assert(BloomShape.of(Long.MaxValue / 2, 1e-9).bytes <= BloomShape.maxBytes)
    assert(filter.entries > 10000000)
  }

  // F91
  test("sizes that lie are refused before anything is allocated") {
    def head(version: Int, hashes: Int, hashType: Int, bits: Int)(rest: Int*): String = {
      val buffer = ByteBuffer.allocate(64)
      buffer.putInt(version).putInt(hashes).put(hashType.toByte).putInt(bits)
      rest.foreach(buffer.putInt)
      Base64.getEncoder.encodeToString(buffer.array.take(buffer.position()))
    }
    assert(refusal(head(-1, 30, 1, Int.MaxValue)(0), "SIMPLE").contains("declares 268435456 bytes"))
    assert(refusal(head(-1, 30, 1, -8)(0), "SIMPLE").contains("-8"))
    assert(refusal(head(-1, 0, 1, 8)(), "SIMPLE").contains("number of hashes"))
    assert(refusal(head(-1, 30, 0, 8)(), "SIMPLE").contains("Murmur"))
    assert(refusal(head(-2, 30, 1, 8)(), "SIMPLE").contains("version"))
    assert(refusal(head(-1, 30, 1, 8)(0), "SIMPLE").contains("further"))
    assert(refusal(head(-1, 30, 1, 8)(), "OTHER").contains("type code"))
    // A filter that a new file would take over as it stands, and whose bits nobody reads.
    val whole = FilterText.of(BloomFilter.create(1)).copy(typeCode = "OTHER", path = "/f")
    assert(refusal(whole.rowCount).contains("type code"))
    assert(
      refusal(head(-1, 30, 1, 8)(64, 0, Int.MaxValue), "DYNAMIC_V0").contains("number of rows")
    )
    assert(
      refusal(head(-1, 30, 1, Int.MaxValue)(64, 0, 1), "DYNAMIC_V0").contains("number of rows")
    )
    assert(refusal("!", "SIMPLE").contains("base64"))
    assert(refusal("", "SIMPLE").contains("ends before"))
    assert(refusal("A" * (BloomShape.maxBytes / 3 * 4 + 400), "SIMPLE").contains("larger"))
  }

  test("an empty key is a fault of the code") {
    intercept[IllegalArgumentException](BloomFilter.create(64).add(bytes("")))
  }
}
