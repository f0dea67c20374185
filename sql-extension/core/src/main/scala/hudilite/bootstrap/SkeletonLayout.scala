package hudilite.bootstrap

import org.apache.parquet.hadoop.metadata.CompressionCodecName

/** Encoding of a skeleton.
  * @param codec      codec of the columns of keys and sequence numbers
  * @param pageRows   maximum rows per page, 1 or more
  * @param filterType type code of its bloom filter */
final case class SkeletonLayout(codec: CompressionCodecName, pageRows: Int, filterType: String)
