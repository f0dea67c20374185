package hudilite.spark.repair

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.Bucket
import hudilite.spark.merge.{BaseFileRows, FileGroupResult}
import hudilite.spark.rewrite.BaseFileRewriter
import hudilite.view.FileSlice

/** Merge of the file groups of one bucket into one new file group. For each key it keeps the row of
  * the latest commit. Runs in a task: it reads `slices` and writes one base file.
  * @param slices  latest slices; of two rows of one commit, that of the later slice is kept
  * @param fileId  id of the new file group */
final private[repair] class BucketMerge(
    partition: String,
    bucket: Bucket,
    slices: Seq[FileSlice],
    fileId: String,
    hashFields: Array[String]
) extends Serializable {

  /** Writes the base file.
    * Errors: HUDILITE_CORRUPT_DATA_FILE, also for a key that belongs to another bucket. */
  def run(rewrite: BaseFileRewriter): FileGroupResult =
    rewrite.write(partition, fileId, None, slices) { (open, add) =>
      while (open.exists(_.hasRow)) {
        val key = open.filter(_.hasRow).map(_.key).min.clone()
        BucketJoin.check(key, bucket, hashFields, slices)
        add(key, latest(open, key))
      }
    }

  /** Reads past all rows of `key` and returns the one of the latest commit. */
  private def latest(open: Seq[BaseFileRows], key: UTF8String): InternalRow = {
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
}
