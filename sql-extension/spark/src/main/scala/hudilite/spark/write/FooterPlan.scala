package hudilite.spark.write

import hudilite.format.FilterRule
import hudilite.index.FilterText

/** Plan of the facts of record keys in the footer of a new base file, and of those that it takes over
  * from the old file. This alone decides whether a new base file has a bloom filter.
  *
  * A filter and a range that are taken over are extended by new keys; deleted keys stay in both, so
  * they may cover more keys than the file has.
  * @param filter       filter of the new file
  * @param range        least and greatest key of the old file, if they are taken over
  * @param needsAllKeys whether the keys of old rows that stay must be added, too
  * Source: hudi-format §4.6, §4.7 */
final case class FooterPlan(
    filter: FooterPlan.Filter,
    range: Option[(String, String)],
    needsAllKeys: Boolean
)

object FooterPlan {

  /** Bloom filter of a new base file. */
  sealed trait Filter

  /** The file has none. */
  case object NoFilter extends Filter

  /** Filter of all keys of the file. */
  case object OfAllKeys extends Filter

  /** Filter of the old file, extended by the new keys. */
  final case class Extended(old: FilterText) extends Filter

  /** Returns the plan of a file to which the keys of all its rows are added.
    * @param hadFilter whether a base file that it replaces, or whose rows it gets, has a filter */
  def ofAllKeys(rule: FilterRule, hadFilter: => Boolean): FooterPlan =
    FooterPlan(if (rule.asksFor(hadFilter)) OfAllKeys else NoFilter, None, needsAllKeys = true)

  /** Returns the plan of a file that replaces an old one. The keys of the old file are needed only if
    * its footer does not say enough: a sound filter and a range for a file with a filter, a range
    * for one without.
    * Errors: HUDILITE_CORRUPT_DATA_FILE for a malformed filter. */
  def of(rule: FilterRule, old: OldFooterKeys): FooterPlan = {
    def taken(filter: Filter, range: Option[(String, String)]) =
      Option.when(range.nonEmpty || old.rows == 0)(FooterPlan(filter, range, needsAllKeys = false))
    val found =
      if (rule.asksFor(old.hasFilter)) old.sound.flatMap(of => taken(Extended(of), old.range))
      else taken(NoFilter, old.rangeOfColumn)
    found.getOrElse(ofAllKeys(rule, old.hasFilter))
  }
}
