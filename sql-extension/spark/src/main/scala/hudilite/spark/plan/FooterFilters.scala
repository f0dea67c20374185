package hudilite.spark.plan

import hudilite.format.{FilterRule, TableConfig}

/** Table property that says whether new base files have bloom filters. A table with a bloom index
  * always has them.
  * Source: Hudi's hoodie.parquet.bloom.filter.enabled. */
object FooterFilters {
  val name: String = TableConfig.Key.bloomFilters

  /** Returns the text of the fix for an invalid value; None for a valid one. */
  def whyNot(value: String): Option[String] = ServiceValue.whyNoFlag(value)

  /** Returns the text of the fix for a valid value that a table cannot have; None if it can. */
  def mismatch(value: String, config: TableConfig): Option[String] =
    Option.when(!config.hasBuckets && !value.trim.toBoolean)(
      "The table finds its keys by bloom filters. Remove it; a new table whose files need none is " +
        "declared WITH BUCKETS n."
    )

  /** Returns the value of the property, or what a table without it does. */
  def value(config: TableConfig): String = config.properties.getOrElse(
    name,
    (config.filterRule == FilterRule.Always).toString
  )
}
