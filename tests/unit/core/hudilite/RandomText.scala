package hudilite

import java.util.Random

/** Random keys whose seed is printed and can be given as HUDILITE_SEED. */
final class RandomText(suite: String) {
  val seed: Long = sys.env.get("HUDILITE_SEED").fold(System.nanoTime)(_.toLong)
  private val random = new Random(seed)
  private val pieces =
    Vector("a", "b", "id", "name", ":", ",", ",name:", ",id:", "=", "%", " ", "0", "19", "_") ++
      Vector("__null__", "__empty__", "é", "你好", "\ud83d\ude00", "\uffff", "\u0000", "-", "xyz" * 9)

  println(s"$suite: HUDILITE_SEED=$seed")

  /** A text of up to `max` pieces, at times empty. */
  def text(max: Int): String = Seq.fill(random.nextInt(max + 1))(piece()).mkString

  def int(bound: Int): Int = random.nextInt(bound)

  private def piece(): String = pieces(random.nextInt(pieces.size))
}
