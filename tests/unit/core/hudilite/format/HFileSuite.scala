package hudilite.format

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays.compareUnsigned
import java.util.{Arrays, Random}

import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException

class HFileSuite extends AnyFunSuite {
  import HFileSuite._

  private val seed = sys.env.get("HUDILITE_SEED").fold(System.nanoTime)(_.toLong)
  println(s"HFileSuite: HUDILITE_SEED=$seed")

  /** Distinct keys of 1 to 300 bytes, many of them not ASCII. */
  private def keys(random: Random, count: Int): Vector[String] =
    Iterator
      .continually(text(random))
      .filter(key => key.nonEmpty && key.getBytes(UTF_8).length <= 300)
      .distinct
      .take(count)
      .toVector

  private def text(random: Random): String =
    Seq.fill(1 + random.nextInt(1 << random.nextInt(8)))(
      pieces(random.nextInt(pieces.size))
    ).mkString

  private def entries(random: Random, count: Int, valueBytes: Int): Vector[(String, Array[Byte])] =
    keys(random, count).map { key =>
      val value = new Array[Byte](random.nextInt(valueBytes + 1))
      random.nextBytes(value)
      key -> value
    }

  private def file(entries: Seq[(String, Array[Byte])]): Array[Byte] =
    HFile.bytes(entries, Seq("INDEX_INFO" -> "about".getBytes(UTF_8)), created)

  private def read(bytes: Array[Byte]): HFile = HFile.read(bytes, "f.hfile")

  private def blocks(bytes: Array[Byte]): Int =
    new String(bytes, "ISO-8859-1").split("DATABLK\\*", -1).length - 1

  for (count <- Seq(0, 1, 3, 5000))
    test(s"$count entries come back in the order of their bytes, and each by its key") {
      val written = entries(new Random(seed), count, 200)
      val bytes = file(written)
      val found = read(bytes)
      assert(shown(found.entries) == shown(inOrder(written)), s"seed $seed")
      assert(new String(found.info("INDEX_INFO"), UTF_8) == "about")
      assert(count < 5000 || blocks(bytes) > 5)
      val known = written.map(_._1).toSet
      written.grouped(1 + count / 300).map(_.head).foreach { case (key, value) =>
        assert(found.find(key).exists(Arrays.equals(_, value)), s"seed $seed, key $key")
        Seq(key + "!", "!" + key, key.dropRight(1)).filterNot(known).foreach { absent =>
          assert(found.find(absent).isEmpty, s"seed $seed, key $absent")
        }
      }
    }

  test("values over 64 KiB have a block each") {
    val random = new Random(seed)
    val written = keys(random, 5).zip(Seq(10, 64 << 10, 70000, 3, 1 << 20)).map {
      case (key, length) => key -> Array.fill(length)(random.nextInt.toByte)
    }
    val bytes = file(written)
    assert(shown(read(bytes).entries) == shown(inOrder(written)))
    written.foreach { case (key, value) =>
      assert(read(bytes).find(key).exists(Arrays.equals(_, value)))
    }
    assert(blocks(bytes) >= 4)
  }

  test("a lookup opens one block: a damaged one elsewhere does no harm") {
    val written = Vector.tabulate(300)(i => f"key$i%03d" -> new Array[Byte](1000))
    val bytes = file(written)
    bytes(500) = 1
    assert(read(bytes).find("key299").nonEmpty)
    assert(corrupt(read(bytes).find("key000")).contains("checksum"))
    assert(corrupt(read(bytes).entries).contains("checksum"))
  }

  test("a key longer than a cell can hold is not written") {
    assertThrows[IllegalArgumentException](file(Seq("k" * 32768 -> Array.emptyByteArray)))
  }

  test("the same entries give the same bytes, in whatever order they come") {
    val written = entries(new Random(seed), 50, 100)
    assert(Arrays.equals(file(written), file(written.reverse)))
  }

  // Written by HFileWriterImpl of Hudi 1.2.0.
  test("what stock writes is read, and its block of data is ours but for the checksum") {
    val stock = resource("stock-1.2.0/three.hfile")
    val written = Vector.tabulate(3)(i => f"$i%08d" -> Array.fill(10)(i.toByte))
    val found = read(stock)
    assert(shown(found.entries) == shown(written))
    assert(new String(found.info("INDEX_INFO"), UTF_8) == "hello")
    val ours = file(written)
    val (kind, checksum) = (24, 150 until 154)
    val differ = Range(0, 154).filter(i => ours(i) != stock(i))
    assert(differ == kind +: checksum)
    assert(read(ours).info.keySet == found.info.keySet)
  }

  test("what HBase wrote for an older Hudi is read, packed or not") {
    Seq("none", "gz").foreach { codec =>
      val found = read(resource(s"stock-0.15.0/$codec.hfile"))
      val expected = Vector.tabulate(400)(i => f"part=é$i%05d" -> s"value $i".getBytes(UTF_8))
      assert(shown(found.entries) == shown(expected), codec)
      assert(found.find("part=é00321").exists(Arrays.equals(_, "value 321".getBytes(UTF_8))))
      assert(found.find("part=é00321!").isEmpty)
    }
  }

  test("a deeper index and other compressions are refused by name") {
    val deep = file(entries(new Random(1), 3, 10))
    val levels =
      deep.length - 4096 + new String(deep.takeRight(4096), "ISO-8859-1").indexOf('@') + 1
    deep(levels) = 2
    assert(corrupt(read(deep)) == "its data index has 2 levels")
    val zstd = file(entries(new Random(1), 3, 10))
    zstd(zstd.lastIndexOf('`'.toByte) + 1) = 6
    assert(corrupt(read(zstd)) == "its compression is ZSTD")
  }

  test("a file that is cut anywhere is corrupt") {
    val bytes = file(entries(new Random(seed), 40, 50))
    val random = new Random(seed)
    (Seq(0, 1, bytes.length - 1, 4095, 4096) ++ Seq.fill(300)(random.nextInt(bytes.length)))
      .foreach { length =>
        assert(corrupt(read(bytes.take(length))).nonEmpty, s"seed $seed, length $length")
        assert(corrupt(read(bytes.drop(bytes.length - length))).nonEmpty, s"seed $seed, $length")
      }
  }

  test("turned bytes never give a wrong answer") {
    val random = new Random(seed)
    Seq(0, 1, 3, 30).foreach { count =>
      val written = entries(random, count, 50)
      val bytes = file(written)
      val used = bytes.length - 4096 + 120
      (0 until used).foreach { at =>
        val turned = bytes.clone
        turned(at) = (turned(at) ^ 1 << random.nextInt(8)).toByte
        assertRightOrCorrupt(turned, written, s"seed $seed, at $at")
      }
      Iterator.fill(500)(random.nextInt(4) + 2).foreach { times =>
        val turned = bytes.clone
        Iterator
          .fill(times)(random.nextInt(used))
          .foreach(at => turned(at) = random.nextInt(256).toByte)
        assertRightOrCorrupt(turned, written, s"seed $seed")
      }
    }
  }

  test("turned bytes of a file without checksums give no other error") {
    val random = new Random(seed)
    Seq("stock-1.2.0/three.hfile", "stock-0.15.0/none.hfile", "stock-0.15.0/gz.hfile").foreach {
      name =>
        val bytes = resource(name)
        val used = bytes.length - 4096 + 120
        Iterator.range(0, 1000).foreach { i =>
          val turned = bytes.clone
          Iterator
            .fill(1 + i % 3)(random.nextInt(used))
            .foreach(at => turned(at) = random.nextInt(256).toByte)
          answer(read(turned).entries): Unit
          answer(read(turned).find("part=é00321")): Unit
        }
    }
  }

  private def assertRightOrCorrupt(
      bytes: Array[Byte],
      written: Seq[(String, Array[Byte])],
      clue: => String
  ): Unit = {
    answer(read(bytes)).foreach { file =>
      answer(file.entries).foreach(e => assert(shown(e) == shown(inOrder(written)), clue))
      assert(file.info.get("INDEX_INFO").map(new String(_, UTF_8)).contains("about"), clue)
      written.take(2).foreach { case (key, value) =>
        answer(file.find(key)).foreach(v => assert(v.exists(Arrays.equals(_, value)), clue))
      }
      answer(file.find("no such key")).foreach(found => assert(found.isEmpty, clue))
    }
  }

  /** What a call gives, or nothing when it tells that the file is corrupt; any other error passes. */
  private def answer[A](call: => A): Option[A] =
    try Some(call)
    catch { case e: HudiliteException if e.condition == "HUDILITE_CORRUPT_TIMELINE" => None }

  private def corrupt(call: => Any): String = {
    val e = intercept[HudiliteException](call)
    assert(e.condition == "HUDILITE_CORRUPT_TIMELINE")
    assert(e.parameters("path") == "f.hfile")
    e.parameters("reason")
  }
}

object HFileSuite {
  private val created = 1700000000000L
  private val pieces = Vector("a", "b", "=", ";", "part", "é", "你好", "\ud83d\ude00", "\uffff", "0")

  def resource(name: String): Array[Byte] = {
    val in = getClass.getResourceAsStream(s"/$name")
    try in.readAllBytes
    finally in.close()
  }

  private def inOrder(entries: Seq[(String, Array[Byte])]): Seq[(String, Array[Byte])] =
    entries.sortWith((a, b) => compareUnsigned(a._1.getBytes(UTF_8), b._1.getBytes(UTF_8)) < 0)

  private def shown(entries: Seq[(String, Array[Byte])]): Seq[(String, Seq[Byte])] =
    entries.map { case (key, value) => key -> value.toSeq }
}
