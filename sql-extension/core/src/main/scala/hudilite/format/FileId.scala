package hudilite.format

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

/** Ids of file groups. An id is a pure function of what it stands for, so a retried task makes the
  * same one and two first writers of a bucket collide instead of forking it. Source: design D11,
  * hudi-format §4.1. */
object FileId {
  private val bucketDigits = 8
  private val bucketPattern = "([0-9]{8})-[0-9a-fA-F]{4}-.*".r

  /** Id of the file group of a bucket.
    * @param tableUuid uuid of the table
    * @param partition relative partition path, "" when the table has none
    * @param bucket    bucket number, 0 or more
    * @param epoch     instant of the replacecommit that last replaced this bucket, "" at first
    * @return eight digits of the bucket, 28 characters of a uuid, `-0` */
  def bucket(tableUuid: String, partition: String, bucket: Int, epoch: String): String = {
    val suffix = named("bucket", tableUuid, partition, bucket.toString, epoch).drop(bucketDigits)
    f"$bucket%08d" + suffix + "-0"
  }

  /** Id of a new file group of a table without buckets.
    * @param instant instant that creates the file group
    * @param ordinal number of the file group within that instant and partition, from 0
    * @return a uuid, `-0` */
  def fileGroup(tableUuid: String, partition: String, instant: String, ordinal: Int): String =
    named("fileGroup", tableUuid, partition, instant, ordinal.toString) + "-0"

  /** @return bucket number at the head of a file id, or nothing when the id was not made for a
    *         bucket. A random id begins with eight digits once in forty times, so ask only about
    *         tables that have buckets. */
  def bucketOf(fileId: String): Option[Int] = fileId match {
    case bucketPattern(digits) => Some(digits.toInt)
    case _ => None
  }

  /** Name-based uuid over parts that each carry their length, so that no two lists of parts run
    * together. */
  private[format] def named(parts: String*): String = {
    val bytes = parts.map(_.getBytes(UTF_8))
    val buffer = ByteBuffer.allocate(bytes.map(_.length + Integer.BYTES).sum)
    bytes.foreach(part => buffer.putInt(part.length).put(part))
    UUID.nameUUIDFromBytes(buffer.array).toString
  }
}
