package hudilite.index

/** A filter as a footer holds it, which may be large: it is read when somebody asks.
  * Source: hudi-format §4.7.
  * @param text     value of org.apache.hudi.bloomfilter
  * @param typeCode value of hoodie_bloom_filter_type_code
  * @param checksum of the text
  * @param path     file of the footer, for messages */
final case class FilterText(text: String, typeCode: String, checksum: String, path: String) {

  /** Errors: HUDILITE_CORRUPT_DATA_FILE. */
  def filter: BloomFilter = BloomFilter.parse(text, typeCode, path)

  /** Number of the filter's rows, of which its first bytes tell.
    * Errors: HUDILITE_CORRUPT_DATA_FILE when they make no sense. */
  def rowCount: Int = BloomFilterBytes.rowCount(text, typeCode, path)
}

object FilterText {

  def of(filter: BloomFilter): FilterText = {
    val text = filter.serialize()
    FilterText(text, filter.typeCode, KeyFooter.checksum(text), "(unnamed)")
  }
}
