package hudilite.format

/** Names of the key-value pairs in a base file's footer. Source: hudi-format §4.6. */
object FooterKey {
  val bloom = "org.apache.hudi.bloomfilter"

  /** Name of the bloom filter in files from before Hudi joined Apache. */
  val oldBloom = "com.uber.hoodie.bloomfilter"
  val bloomType = "hoodie_bloom_filter_type_code"
  val minKey = "hoodie_min_record_key"
  val maxKey = "hoodie_max_record_key"
  val avroSchema = "parquet.avro.schema"

  /** Name of hudilite's pair for the row order: `record_key` if the rows are sorted by the bytes of
    * their record keys. */
  val sorted = "hudilite.sorted"
  val byRecordKey = "record_key"

  /** Whether a footer states this order. */
  def isSorted(pairs: Map[String, String]): Boolean = pairs.get(sorted).contains(byRecordKey)

  /** Name of hudilite's pair for the CRC-32 of the bloom filter's text, a decimal number. */
  val bloomChecksum = "hudilite.bloom.checksum"
}
