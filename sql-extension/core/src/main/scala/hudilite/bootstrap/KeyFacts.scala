package hudilite.bootstrap

import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.{BloomFilter, FilterText, KeyFooter, Utf16Order}

/** Facts about the keys for a skeleton's footer: bloom filter, bounds, and whether the rows are
  * sorted. Source: hudi-format §4.6, §4.7.
  * @param rows       rows of the file
  * @param filterType type code of the filter */
final private[bootstrap] class KeyFacts(rows: Long, filterType: String) {
  private val filter = BloomFilter.create(rows, typeCode = filterType)
  private val byBytes = new KeyBounds(KeyBounds.byBytes)
  private val turned = new KeyBounds(Utf16Order)

  /** Adds the next row's key, whose bytes may change after the call. */
  def add(key: UTF8String): Unit = {
    filter.add(key)
    if (Utf16Order.mayTurn(key)) turned.add(key)
  }

  /** Adds the bounds of a row group's keys. */
  def add(group: KeyBounds): Unit = byBytes.add(group)

  def pairs: Map[String, String] = {
    // The bounds by bytes also bound the keys in this order, except keys that sort differently.
    val bounds = new KeyBounds(Utf16Order)
    byBytes.range.foreach { range =>
      bounds.add(range.min)
      bounds.add(range.max)
    }
    bounds.add(turned)
    KeyFooter.pairs(
      Some(FilterText.of(filter)),
      bounds.range.map(r => (r.min.toString, r.max.toString)),
      byBytes.isAscending
    )
  }
}
