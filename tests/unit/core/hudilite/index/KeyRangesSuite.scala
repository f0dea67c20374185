package hudilite.index

import scala.util.Random

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

class KeyRangesSuite extends AnyFunSuite {
  private def text(n: Int): UTF8String = UTF8String.fromString(f"$n%08d")
  private def range(a: Int, b: Int): KeyRange = KeyRange(text(a min b), text(a max b))

  private def found(ranges: KeyRanges, keys: Seq[Int]): Seq[Set[Int]] = keys.map { key =>
    val files = Set.newBuilder[Int]
    var visits = 0
    ranges.candidates(text(key)) { file =>
      visits += 1
      files += file
    }
    val all = files.result()
    assert(all.size == visits)
    all
  }

  test("list and tree find the files whose range holds a key") {
    val seed = System.nanoTime
    val random = new Random(seed)
    (0 until 300).foreach { round =>
      val files = IndexedSeq.fill(random.nextInt(40))(range(random.nextInt(60), random.nextInt(60)))
      val keys = Seq.fill(random.nextInt(50))(random.nextInt(70)).sorted
      val wanted = keys.map(key => files.indices.filter(files(_).holds(text(key))).toSet)
      assert(found(KeyRanges.list(files), keys) == wanted, s"seed $seed, round $round")
      assert(found(KeyRanges.tree(files), keys) == wanted, s"seed $seed, round $round")
    }
  }

  test("a list compares each key with each file, a tree with few bounds") {
    val files = IndexedSeq.tabulate(1000)(i => range(i * 100, i * 100 + 99))
    val keys = Seq.tabulate(5000)(_ * 20)
    val (list, tree) = (KeyRanges.list(files), KeyRanges.tree(files))
    val hits = found(tree, keys).map(_.size).sum
    found(list, keys): Unit
    assert(list.comparisons == 5000L * 1000)
    assert(tree.comparisons <= 5000L * 10 + hits)
    val sparse = KeyRanges.tree(files)
    val few = found(sparse, keys.grouped(100).map(_.head).toSeq)
    assert(sparse.comparisons <= 50L * (2 * 10 + 2) && few.forall(_.size == 1))
  }
}
