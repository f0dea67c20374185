package hudilite.format

import hudilite.error.HudiliteException

/** Check whether hudilite writes a table: not if its rules for merging rows are not those of hudilite,
  * nor with one of the [[ReadOnlyFacts]]. This is the whole list, but for rules of buckets, which are
  * in files.
  * Source: table-versions §2.3. */
private[hudilite] object WriteChecks {

  /** Returns the fact that forbids writes to a table, as its key, its value and what to do; None if
    * hudilite writes the table. */
  private[format] def obstacle(config: TableConfig): Option[(String, String, String)] =
    merging(config).orElse(ReadOnlyFacts.of(config).headOption)

  private def merging(config: TableConfig) = MergeOrder.of(config) match {
    case MergeOrder.Other(fact, value) => Some((fact, value, ReadOnlyFacts.fix))
    case MergeOrder.EventTime | MergeOrder.CommitTime => None
  }

  /** Fails if hudilite does not write the table.
    * Errors: HUDILITE_TABLE_READ_ONLY. */
  private[format] def check(config: TableConfig, basePath: String): Unit =
    obstacle(config).foreach { case (fact, value, fix) =>
      throw refused(basePath, fact, value, fix)
    }

  /** Returns the error for a write to a table with a fact that forbids it. */
  def refused(basePath: String, fact: String, value: String, fix: String): HudiliteException =
    HudiliteException(
      "HUDILITE_TABLE_READ_ONLY",
      "path" -> basePath,
      "fact" -> fact,
      "value" -> value,
      "fix" -> fix
    )
}
