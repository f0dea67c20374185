package hudilite.index

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.RandomText

class Utf16OrderSuite extends AnyFunSuite {

  test("texts compare as Java's strings do") {
    val text = new RandomText("Utf16OrderSuite")
    val edges = Seq("", "a", "\u007f", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff") ++
      Seq(0x10000, 0x10ffff, 0x1f600, 0x1f601).map(Character.toString)
    val texts = edges ++ edges.map("p" + _) ++ edges.map(_ + "e") ++ Seq.fill(100)(text.text(4))
    for (a <- texts; b <- texts) {
      val found = Utf16Order.compare(UTF8String.fromString(a), UTF8String.fromString(b))
      assert(found.sign == a.compareTo(b).sign, s"$a, $b, seed ${text.seed}")
    }
  }
}
