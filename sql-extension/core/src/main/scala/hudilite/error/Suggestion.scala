package hudilite.error

import org.apache.spark.unsafe.types.UTF8String

/** Suggestion for an unknown name in a SQL statement. */
object Suggestion {

  /** Returns a sentence that suggests the valid name nearest to `name`.
    * @param known valid names, at least one */
  def of(name: String, known: Iterable[String]): String =
    s"Did you mean ${nearest(name, known)}? Otherwise remove it."

  /** Returns the valid name nearest to `name`.
    * @param known valid names, at least one */
  def nearest(name: String, known: Iterable[String]): String = {
    def folded(text: String) = UTF8String.fromString(text.toLowerCase(java.util.Locale.ROOT))
    known.toSeq.sorted.minBy(folded(_).levenshteinDistance(folded(name)))
  }
}
