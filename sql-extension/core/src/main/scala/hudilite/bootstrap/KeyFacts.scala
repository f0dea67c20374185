package hudilite.bootstrap

import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.{BloomFilter, KeyFooter, Utf16Order}

/** What a skeleton's footer tells of its keys. Source: hudi-format §4.6, §4.7.
  * @param rows       of the file
  * @param filterType type code of the filter */
final private[bootstrap] class KeyFacts(rows: Long, filterType: String) {
  private val filter = BloomFilter.create(rows, typeCode = filterType)
  private val bounds = new KeyBounds(Utf16Order)
  private var last = Option.empty[UTF8String]
  private var isAscending = true

  /** Takes the next row's key, and keeps it. */
  def add(key: UTF8String): Unit = {
    filter.add(key)
    bounds.add(key)
    if (isAscending) {
      isAscending = last.forall(_.binaryCompare(key) < 0)
      last = Some(key)
    }
  }

  def pairs: Map[String, String] =
    KeyFooter.pairs(filter, bounds.range.map(r => (r.min.toString, r.max.toString)), isAscending)
}
