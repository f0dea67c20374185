package hudilite.index

import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.RecordKey

/** Bucket numbers of records, by Hudi's hash of the key columns' texts. Source: seed 000
  * (getBucketId), hudi-format §6; checked against tests/oracle/bucket.py and against stock Hudi's
  * own numbers. */
object BucketIndex {

  /** Returns the bucket of the values of key columns.
    * @param values key columns that are hashed, in key order, as text; null stays null
    * @param n      number of buckets, 1 or more
    * @return bucket number in [0, n) */
  def bucketOf(values: Seq[String], n: Int): Int =
    bucketOfHash(values.foldLeft(1)((h, v) => 31 * h + Option(v).fold(0)(_.hashCode)), n)

  /** Returns the bucket of a stored record key, whose form `f:v,f2:v2` is split like Hudi does.
    * @param recordKey  text of `_hoodie_record_key`
    * @param hashFields key columns that are hashed
    * @param n          number of buckets, 1 or more
    * @return bucket number in [0, n) */
  def bucketOfKey(recordKey: String, hashFields: Seq[String], n: Int): Int =
    bucketOf(hashValues(recordKey, hashFields), n)

  /** Returns the same bucket as [[bucketOfKey]] for a UTF8String, without an allocation.
    * @param key        UTF-8; other bytes have some bucket, always the same
    * @param hashFields key columns that are hashed, ASCII names */
  def bucketOfKeyUtf8(key: UTF8String, hashFields: Array[String], n: Int): Int =
    bucketOfHash(KeyHash.of(key, hashFields), n)

  /** Returns the texts that Hudi hashes for a record key, in key order. Values may contain commas
    * and colons: the comma that ends a value is the last one before the next colon. A key that
    * lacks a comma or a colon, or has none of the fields, is hashed as a whole. Stock Hudi never
    * returns for a key that ends in a field outside `hashFields` whose value contains a colon; here
    * such a key ends with that field. */
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

  /** Returns the end of the value after `colon`: the last comma before a later colon, or the end of
    * the key. */
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
