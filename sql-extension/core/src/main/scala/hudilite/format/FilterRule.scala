package hudilite.format

/** Rule by which a new base file of a table gets a bloom filter in its footer. Hudi's bloom index
  * needs filters; a table with buckets needs none, as the hash of a key names its file.
  * Source: hudi-format §4.6; Hudi's hoodie.parquet.bloom.filter.enabled. */
sealed trait FilterRule {

  /** Whether a new base file gets a filter.
    * @param hadOne whether a base file that it replaces, or whose rows it gets, has one */
  def asksFor(hadOne: => Boolean): Boolean = this match {
    case FilterRule.Always => true
    case FilterRule.AsBefore => hadOne
    case FilterRule.Never => false
  }
}

object FilterRule {

  /** Every new file: a table with a bloom index, or whose property is true. */
  case object Always extends FilterRule

  /** Only if the file before has one: a table with buckets and without the property. */
  case object AsBefore extends FilterRule

  /** No new file: a table with buckets whose property is false. */
  case object Never extends FilterRule

  /** Returns the rule of a table. As in stock Hudi, the bloom index prevails over the property. */
  def of(config: TableConfig): FilterRule = config.text(TableConfig.Key.bloomFilters) match {
    case _ if !config.hasBuckets => Always
    case Some(stated) => if (stated.equalsIgnoreCase("true")) Always else Never
    case None => AsBefore
  }
}
