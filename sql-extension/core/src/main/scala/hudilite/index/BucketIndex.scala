package hudilite.index

import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.RecordKey

/** Buckets of records, by Hudi's hash of the key columns' texts. Source: seed 000 (getBucketId),
  * hudi-format §6; checked against tests/oracle/bucket.py and against stock Hudi's own numbers. */
object BucketIndex {

  /** @param values key columns that are hashed, in key order, as text; null stays null
    * @param n      number of buckets, 1 or more
    * @return bucket number in [0, n) */
  def bucketOf(values: Seq[String], n: Int): Int =
    bucketOfHash(values.foldLeft(1)((h, v) => 31 * h + Option(v).fold(0)(_.hashCode)), n)

  /** Bucket of a stored record key, whose `f:v,f2:v2` form is taken apart as Hudi does it.
    * @param recordKey  text of `_hoodie_record_key`
    * @param hashFields key columns that are hashed
    * @param n          number of buckets, 1 or more
    * @return bucket number in [0, n) */
  def bucketOfKey(recordKey: String, hashFields: Seq[String], n: Int): Int =
    bucketOf(hashValues(recordKey, hashFields), n)

  /** [[bucketOfKey]] over Spark's string, without an allocation.
    * @param key        valid UTF-8
    * @param hashFields key columns that are hashed, ASCII names */
  def bucketOfKeyUtf8(key: UTF8String, hashFields: Array[String], n: Int): Int =
    bucketOfHash(KeyHash.of(key, hashFields), n)

  /** Texts that Hudi hashes for a record key, in key order. Values may hold commas and colons: the
    * comma that ends a value is the last one before the next colon. A key without both signs, or
    * without any of the fields, is hashed whole. Stock Hudi never returns for a key that ends in a
    * field outside `hashFields` whose value holds a colon; here such a key ends with that field. */
  def hashValues(recordKey: String, hashFields: Seq[String]): Seq[String] =
    if (!recordKey.contains(',') || !recordKey.contains(':')) Vector(recordKey)
    else {
      val found = pairs(recordKey, 0, Vector.empty).collect {
        case (field, value) if hashFields.contains(field) => unplaced(value)
      }
      if (found.isEmpty) Vector(recordKey) else found
    }

  private def bucketOfHash(hash: Int, n: Int): Int = (hash & Int.MaxValue) % n

  @scala.annotation.tailrec
  private def pairs(
      key: String,
      at: Int,
      done: Vector[(String, String)]
  ): Vector[(String, String)] =
    if (at >= key.length) done
    else {
      val colon = key.indexOf(':', at)
      val end = valueEnd(key, colon, key.indexOf(':', colon + 1))
      val pair = key.substring(at, colon) -> key.substring(colon + 1, end)
      pairs(key, end + 1, done :+ pair)
    }

  /** Where the value after `colon` ends: at the last comma before a later colon, or with the
    * key. */
  @scala.annotation.tailrec
  private def valueEnd(key: String, colon: Int, next: Int): Int =
    if (next < 0) key.length
    else {
      val comma = key.lastIndexOf(',', next)
      if (comma > colon) comma else valueEnd(key, colon, key.indexOf(':', next + 1))
    }

  private def unplaced(value: String): String = value match {
    case RecordKey.NullPlaceholder => Option.empty[String].orNull
    case RecordKey.EmptyPlaceholder => ""
    case text => text
  }
}
