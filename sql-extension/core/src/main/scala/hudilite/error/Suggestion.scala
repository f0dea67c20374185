package hudilite.error

import org.apache.spark.unsafe.types.UTF8String

/** Suggestion for an unknown name in a SQL statement. */
object Suggestion {

  /** Number of valid names up to which all are listed if none is similar. */
  private val few = 4

  /** Number of letters in which a name may differ from a similar one. For a long name it is a third of
    * its letters. */
  private val slips = 3

  /** Returns a sentence that suggests the valid name nearest to `name` if the two are similar; else it
    * lists the valid names if they are few.
    * @param known valid names, at least one */
  def of(name: String, known: Iterable[String]): String = {
    val likely = nearest(name, known)
    if (distance(likely, name) <= math.max(slips, name.length / 3))
      s"Did you mean $likely? Otherwise remove it."
    else if (known.size <= few) s"Write ${known.toSeq.sorted.mkString(" or ")}, or remove it."
    else "Remove it."
  }

  /** Returns the valid name nearest to `name`.
    * @param known valid names, at least one */
  def nearest(name: String, known: Iterable[String]): String =
    known.toSeq.sorted.minBy(distance(_, name))

  private def distance(one: String, other: String): Int = {
    def folded(text: String) = UTF8String.fromString(text.toLowerCase(java.util.Locale.ROOT))
    folded(one).levenshteinDistance(folded(other))
  }
}
