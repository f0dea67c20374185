package hudilite.format

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

/** Ids of file groups. An id is a pure function of its parts: a retried task makes the same id, and
  * two first writers of a bucket collide instead of making two file groups for it. Source: design
  * D11, hudi-format §4.1. */
object FileId {
  private val bucketDigits = 8
  private val bucketPattern = "([0-9]{8})-[0-9a-fA-F]{4}-.*".r
  private val countedPattern = "[0-9]{8}-([0-9]{4})-8([0-9]{3})-.*".r
  private val countEnd = "00000000-0000-0000".length

  /** Returns the id of the file group of a bucket.
    * @param tableUuid uuid of the table
    * @param partition relative partition path, "" if the table has none
    * @param bucket    bucket number, 0 or more
    * @param epoch     instant of the replacecommit that last replaced this bucket, "" at first
    * @return eight digits of the bucket, 28 characters of a uuid, `-0` */
  def bucket(tableUuid: String, partition: String, bucket: Int, epoch: String): String = {
    val suffix = named("bucket", tableUuid, partition, bucket.toString, epoch).drop(bucketDigits)
    f"$bucket%08d" + suffix + "-0"
  }

  /** Returns the id of the file group of a bucket that tells the number of buckets: a uuid of version
    * 8, which no writer makes at random. Its second and third part are this number in decimal digits,
    * without the digit of the version: `0000-8032` is 32, and `0100-8000` is 100,000.
    * @param epoch as of [[bucket]] */
  def counted(tableUuid: String, partition: String, bucket: Bucket, epoch: String): String = {
    val parts = Seq(bucket.number.toString, bucket.count.toString, epoch)
    val suffix = named("counted" +: tableUuid +: partition +: parts: _*).drop(countEnd)
    val thousand = 1000
    f"${bucket.number}%08d-${bucket.count / thousand}%04d-8${bucket.count % thousand}%03d" +
      suffix + "-0"
  }

  /** Returns the number of buckets that the id of a bucket's file group tells; None if it tells none.
    * Call it only for ids of which [[bucketOf]] knows the bucket. */
  def countOf(fileId: String): Option[Int] = fileId match {
    case countedPattern(thousands, rest) => Some((thousands + rest).toInt).filter(_ > 0)
    case _ => None
  }

  /** Returns the id of a new file group of a table without buckets.
    * @param instant instant that creates the file group
    * @param ordinal number of the file group within that instant and partition, from 0
    * @return a uuid, `-0` */
  def fileGroup(tableUuid: String, partition: String, instant: String, ordinal: Int): String =
    named("fileGroup", tableUuid, partition, instant, ordinal.toString) + "-0"

  /** Returns the bucket number at the start of a file id, or None if the id was not made for a
    * bucket. One random id in forty also starts with eight digits, so call it only for tables that
    * have buckets. */
  def bucketOf(fileId: String): Option[Int] = fileId match {
    case bucketPattern(digits) => Some(digits.toInt)
    case _ => None
  }

  /** Returns the name-based uuid of parts. The length of each part is included, so that two
    * different lists of parts never give the same bytes. */
  private[format] def named(parts: String*): String = {
    val bytes = parts.map(_.getBytes(UTF_8))
    val buffer = ByteBuffer.allocate(bytes.map(_.length + Integer.BYTES).sum)
    bytes.foreach(part => buffer.putInt(part.length).put(part))
    UUID.nameUUIDFromBytes(buffer.array).toString
  }

  /** Whether a uuid is a name-based one, as [[named]] computes them. */
  def isNamed(uuid: String): Boolean = uuid.matches("[0-9a-f]{8}-[0-9a-f]{4}-3.*")
}
