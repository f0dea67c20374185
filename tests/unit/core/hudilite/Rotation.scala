package hudilite

/** The part of many points that one run of `make test` takes: three runs in a row take all of them.
  * It is as in tests/harness/rotation.py; a run that knows no rotation takes everything. */
object Rotation {
  private val thirds = 3

  private val now: Option[Int] =
    sys.env.get("HUDILITE_ROTATION").flatMap(_.toIntOption)
      .filter(_ => sys.env.get("HUDILITE_TIER").contains("test"))

  /** The items whose place in the list is of this rotation. */
  def third[A](items: Seq[A]): Seq[A] =
    items.zipWithIndex.collect { case (item, place) if now.forall(_ == place % thirds) => item }

  /** The numbers from 1 on that are of this rotation. */
  def numbers: Iterator[Int] = Iterator.from(1).filter(n => now.forall(_ == n % thirds))

  /** How many of as many first numbers are of any rotation, at least. */
  def least(count: Int): Int = if (now.isEmpty) count else count / thirds

  /** How much of a count this run must reach: a third, rounded up. */
  def share(count: Int): Int = if (now.isEmpty) count else (count + thirds - 1) / thirds
}
