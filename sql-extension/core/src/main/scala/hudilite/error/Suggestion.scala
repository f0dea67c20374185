package hudilite.error

import org.apache.spark.unsafe.types.UTF8String

/** Suggestion for an unknown name in a SQL statement. */
object Suggestion {

  /** As many names are listed whole where none is alike. */
  private val few = 4

  /** Letters in which a name may differ from the valid one that it is taken for; of a long name, a
    * third of it. */
  private val slips = 3

  /** Returns a sentence that suggests the valid name nearest to `name` if the two are alike; else it
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
