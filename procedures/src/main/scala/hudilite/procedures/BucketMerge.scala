package hudilite.procedures

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException
import hudilite.index.BucketIndex
import hudilite.spark.exec.{FileResult, FileRewrite, OldRows}
import hudilite.view.FileSlice

/** Writes the rows of a bucket's file groups into one new file: of each key the row of the latest
  * commit.
  * @param groups  latest slices, in the order in which rows of one commit win
  * @param fileId  of the new file group
  * @param buckets number of buckets of the table */
private[procedures] final class BucketMerge(
    partition: String,
    bucket: Int,
    groups: Seq[FileSlice],
    fileId: String,
    hashFields: Array[String],
    buckets: Int
) extends Serializable {

  /** Runs in a task.
    * Errors: HUDILITE_CORRUPT_DATA_FILE, also for a key of another bucket. */
  def run(rewrite: FileRewrite): FileResult =
    rewrite.write(partition, fileId, None, groups) { (open, add) =>
      while (open.exists(_.hasRow)) {
        val key = open.filter(_.hasRow).map(_.key).min.clone()
        checkBucket(key)
        add(key, latest(open, key))
      }
    }

  /** Takes every row of a key from the files and gives that of the latest commit. */
  private def latest(open: Seq[OldRows], key: UTF8String): InternalRow = {
    var best: Option[InternalRow] = None
    open.foreach { rows =>
      while (rows.hasRow && rows.key == key) {
        if (best.forall(_.getUTF8String(0).compareTo(rows.row.getUTF8String(0)) <= 0))
          best = Some(rows.row.copy())
        rows.advance()
      }
    }
    best.getOrElse(throw new IllegalStateException(s"INTERNAL: no row of the key $key"))
  }

  private def checkBucket(key: UTF8String): Unit = {
    val right = BucketIndex.bucketOfKeyUtf8(key, hashFields, buckets)
    if (right != bucket)
      throw HudiliteException(
        "HUDILITE_CORRUPT_DATA_FILE",
        "path" -> groups.map(_.fileName).mkString(" or "),
        "reason" -> s"its key $key belongs to bucket $right, so it was written with other buckets"
      )
  }
}
