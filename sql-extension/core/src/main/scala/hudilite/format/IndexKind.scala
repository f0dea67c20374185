package hudilite.format

/** How a table finds the file group of a key; fixed at creation. */
sealed trait IndexKind

object IndexKind {

  /** The key's hash says the file group.
    * @param numBuckets number of buckets in each partition, 1 to [[maxBuckets]]
    * @param hashFields key columns that are hashed, in key order */
  final case class Bucket(numBuckets: Int, hashFields: Seq[String]) extends IndexKind

  /** Key ranges and bloom filters in the footers say where to look. */
  case object Bloom extends IndexKind

  /** As many as Spark's own CLUSTERED BY allows by default. */
  val maxBuckets = 100000
}
