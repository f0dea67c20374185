package hudilite.format

/** Names of the key-value pairs in a base file's footer. Source: hudi-format §4.6. */
object FooterKey {
  val bloom = "org.apache.hudi.bloomfilter"

  /** What the filter is called in files of the time before Apache. */
  val oldBloom = "com.uber.hoodie.bloomfilter"
  val bloomType = "hoodie_bloom_filter_type_code"
  val minKey = "hoodie_min_record_key"
  val maxKey = "hoodie_max_record_key"
  val avroSchema = "parquet.avro.schema"

  /** `record_key` where the rows stand in the order of their keys' bytes; ours. */
  val sorted = "hudilite.sorted"
  val byRecordKey = "record_key"

  /** Whether a footer says so. */
  def isSorted(pairs: Map[String, String]): Boolean = pairs.get(sorted).contains(byRecordKey)

  /** CRC-32 of the filter's text, as a number; ours. */
  val bloomChecksum = "hudilite.bloom.checksum"
}
