package hudilite.spark.repair

import org.apache.spark.TaskContext
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException
import hudilite.format.Bucket
import hudilite.index.BucketIndex
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.rewrite.BaseFileRewriter
import hudilite.spark.write.TaskAttempt
import hudilite.view.FileSlice

/** Join of the file groups of several buckets, which have no key in common, into that of one bucket.
  * Runs in a task: it reads the slices one after another, sorts all rows and writes one base file.
  * @param bucket the new bucket, which has the keys of the slices
  * @param fileId id of its file group */
final private[repair] class BucketJoin(
    partition: String,
    bucket: Bucket,
    slices: Seq[FileSlice],
    fileId: String,
    hashFields: Array[String]
) extends Serializable {

  /** Writes the base file.
    * Errors: HUDILITE_CORRUPT_DATA_FILE, also for a key that belongs to another bucket. */
  def run(rewrite: BaseFileRewriter): FileGroupResult = {
    val rows = slices.iterator.flatMap(SliceRows.of(rewrite.factory, _))
    val attempt = new TaskAttempt(TaskContext.get())
    rewrite.join(attempt, partition, fileId, slices, rows) { key =>
      BucketJoin.check(key, bucket, hashFields, slices)
    }
  }
}

private[repair] object BucketJoin {

  /** Fails for a key of another bucket.
    * @param slices slices that have the key
    * Errors: HUDILITE_CORRUPT_DATA_FILE. */
  def check(
      key: UTF8String,
      bucket: Bucket,
      hashFields: Array[String],
      slices: Seq[FileSlice]
  ): Unit = {
    val right = BucketIndex.bucketOfKeyUtf8(key, hashFields, bucket.count)
    if (right != bucket.number) throw misplaced(key, bucket.copy(number = right), slices)
  }

  /** Returns the error for a key of another bucket.
    * @param right  bucket of the key
    * @param slices slices of which one has the key */
  def misplaced(key: UTF8String, right: Bucket, slices: Seq[FileSlice]): HudiliteException =
    HudiliteException(
      "HUDILITE_CORRUPT_DATA_FILE",
      "path" -> slices.flatMap(_.files).map(_.path.getName).mkString(" or "),
      "reason" -> (s"its key $key belongs to bucket ${right.number} of ${right.count}: its writer had " +
        "other bucket settings")
    )
}
