package hudilite.format

/** Index of a table, by which the file group of a record key is found; fixed at creation. */
sealed trait IndexKind

object IndexKind {

  /** Bucket index: a hash of the key determines the file group.
    * @param numBuckets number of buckets in each partition, 1 to [[maxBuckets]]
    * @param hashFields key columns that are hashed, in key order */
  final case class Bucket(numBuckets: Int, hashFields: Seq[String]) extends IndexKind

  /** Bloom index: key ranges and bloom filters in the footers narrow down the files to search. */
  case object Bloom extends IndexKind

  /** Maximum number of buckets, which is also Spark's default limit for CLUSTERED BY. */
  val maxBuckets = 100000
}
