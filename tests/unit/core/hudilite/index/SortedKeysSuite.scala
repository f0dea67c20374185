package hudilite.index

import scala.util.Random

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.RandomText

class SortedKeysSuite extends AnyFunSuite {

  private def packed(keys: Seq[UTF8String]): SortedKeys = {
    val builder = new SortedKeys.Builder
    keys.foreach(builder.add)
    builder.result()
  }

  test("keys come sorted and once, whatever order they were added in, and are found") {
    val text = new RandomText("SortedKeysSuite")
    val random = new Random(text.seed)
    (0 until 200).foreach { round =>
      val some = Seq.fill(random.nextInt(80))(random.nextString(random.nextInt(4)))
      val keys = (some ++ random.shuffle(some).take(random.nextInt(20))).map(UTF8String.fromString)
      val wanted = keys.distinct.sorted
      Seq(keys, keys.sorted, keys.sorted.reverse).foreach { order =>
        val made = packed(order)
        assert((0 until made.size).map(made(_)) == wanted, s"round $round")
        wanted.zipWithIndex.foreach { case (key, i) => assert(made.find(key) == i) }
        assert(made.find(UTF8String.fromString("none of them")) == -1)
        assert(made.fingerprint == packed(wanted).fingerprint)
        if (wanted.nonEmpty) assert(made.fingerprint != packed(wanted.tail).fingerprint)
      }
    }
  }

  test("keys before a bound are counted by halving") {
    val keys = packed((0 until 1000).map(i => UTF8String.fromString(f"$i%04d")))
    var steps = 0L
    def before(bound: String, isIncluded: Boolean): Int =
      keys.countBefore(UTF8String.fromString(bound), isIncluded, steps += _)
    assert(before("", isIncluded = true) == 0 && before("9", isIncluded = true) == 1000)
    assert(before("0400", isIncluded = false) == 400 && before("0400", isIncluded = true) == 401)
    assert(before("0400x", isIncluded = false) == 401)
    assert(steps <= 5 * 10)
  }
}
