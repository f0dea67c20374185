package hudilite.bootstrap

import org.apache.parquet.hadoop.metadata.CompressionCodecName

/** How a skeleton is encoded.
  * @param codec      of keys and sequence numbers
  * @param pageRows   rows a page at most, 1 or more
  * @param filterType type code of its filter */
final case class SkeletonLayout(codec: CompressionCodecName, pageRows: Int, filterType: String)
