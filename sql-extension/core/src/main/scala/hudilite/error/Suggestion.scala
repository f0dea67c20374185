package hudilite.error

import org.apache.spark.unsafe.types.UTF8String

/** What the user may have meant by a name that is not known. */
object Suggestion {

  /** @param known names that there are, at least one
    * @return a sentence with the one that is nearest */
  def of(name: String, known: Iterable[String]): String = {
    def folded(text: String) = UTF8String.fromString(text.toLowerCase(java.util.Locale.ROOT))
    val nearest = known.toSeq.sorted.minBy(folded(_).levenshteinDistance(folded(name)))
    s"Did you mean $nearest? Leave it out otherwise."
  }
}
