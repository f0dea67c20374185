package hudilite.index

/** Serialized bloom filter of a footer. It may be large, so it is parsed only on request.
  * Source: hudi-format §4.7.
  * @param text     value of org.apache.hudi.bloomfilter
  * @param typeCode value of hoodie_bloom_filter_type_code
  * @param checksum checksum of the text
  * @param path     file of the footer, for messages */
final case class FilterText(text: String, typeCode: String, checksum: String, path: String) {

  /** Parses the filter.
    * Errors: HUDILITE_CORRUPT_DATA_FILE. */
  def filter: BloomFilter = BloomFilter.parse(text, typeCode, path)

  /** Returns the number of the filter's rows, from its first bytes.
    * Errors: HUDILITE_CORRUPT_DATA_FILE if they are malformed. */
  def rowCount: Int = BloomFilterBytes.rowCount(text, typeCode, path)
}

object FilterText {

  def of(filter: BloomFilter): FilterText = {
    val text = filter.serialize()
    FilterText(text, filter.typeCode, KeyFooter.checksum(text), "(unnamed)")
  }
}
