package hudilite.format

/** Bucket of a partition: the keys whose hash modulo `count` is `number`.
  * @param number from 0 to less than `count`
  * @param count  number of buckets that together have all keys */
final case class Bucket(number: Int, count: Int) {

  /** Whether both buckets have keys in common. */
  def overlaps(other: Bucket): Boolean =
    (number - other.number) % BigInt(count).gcd(other.count).toInt == 0

  /** Whether the bucket has the keys with a hash.
    * @param hash modulo a multiple of `count` */
  def has(hash: Int): Boolean = hash % count == number
}
