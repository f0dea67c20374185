package hudilite.spark.exec

import scala.util.Random

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

class KeyPrefixSuite extends AnyFunSuite {
  private val seed = Random.nextLong()

  private def utf8(text: String): UTF8String = UTF8String.fromString(text)

  private def prefixes(reference: String): Seq[KeyPrefix] =
    Seq(KeyPrefix.narrow(utf8(reference)), KeyPrefix.wide(utf8(reference)))

  private def isOrdered(a: UTF8String, b: UTF8String, of: KeyPrefix): Boolean = {
    val (byKey, byNumber) = (a.compareTo(b), java.lang.Long.compareUnsigned(of.of(a), of.of(b)))
    byNumber == 0 || Integer.signum(byKey) == byNumber
  }

  test(s"a lesser key never has a greater number ($seed)") {
    val random = new Random(seed)
    val begins = Seq("", "id:", "x" * 125, "x" * 126, "x" * 127, "order-2026-é")
    (0 until 3000).foreach { _ =>
      val begin = begins(random.nextInt(begins.size))
      def key = begin.take(random.nextInt(begin.length + 1) * 2) +
        Seq.fill(random.nextInt(12))(random.nextInt(4) match {
          case 0 => random.nextInt(128).toChar
          case 1 => (random.nextInt(0x7000) + 1).toChar
          case _ => "0123456789:;yz{-,~" (random.nextInt(18))
        }).mkString
      val (reference, a, b) = (key, utf8(key), utf8(key))
      prefixes(reference).foreach { of =>
        assert(of.of(a) != 0 && of.of(b) != 0)
        assert(isOrdered(a, b, of), s"$a and $b by $reference")
        assert(isOrdered(a, utf8(reference), of), s"$a by $reference")
      }
    }
  }

  test("each byte has a place of its own among the others") {
    val keys = (0 to 0xff).map(byte => UTF8String.fromBytes(Array('k'.toByte, byte.toByte)))
    for (of <- prefixes("k"); (a, b) <- keys.zip(keys.drop(1)))
      assert(java.lang.Long.compareUnsigned(of.of(a), of.of(b)) < 0 || of.of(a) == of.of(utf8("k")))
  }

  test("a narrow number tells keys apart that count, and a wide one long beginnings, too") {
    def distinct(of: KeyPrefix, keys: Seq[String]) = keys.map(key => of.of(utf8(key))).distinct.size
    val counted = (0 until 20000).map(i => f"order-${i * 499979L}%012d")
    assert(distinct(KeyPrefix.narrow(utf8(counted(777))), counted) == counted.size)
    val long = counted.map("é" * 100 + _)
    assert(distinct(KeyPrefix.narrow(utf8(long(777))), long) < 10)
    assert(distinct(KeyPrefix.wide(utf8(long(777))), long) == long.size)
  }

  test("the reference may lie in memory that is used again") {
    val bytes = "k100".getBytes
    val of = KeyPrefix.narrow(UTF8String.fromBytes(bytes))
    val before = of.of(utf8("k200"))
    bytes(1) = '9'
    assert(of.of(utf8("k200")) == before)
  }
}
