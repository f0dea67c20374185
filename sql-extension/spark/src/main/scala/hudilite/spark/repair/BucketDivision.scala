package hudilite.spark.repair

import hudilite.format.Bucket
import hudilite.index.BucketIndex
import hudilite.spark.merge.FileGroupResult
import hudilite.spark.rewrite.BaseFileRewriter
import hudilite.view.FileSlice

/** Division of the file group of one bucket into those of several buckets. Runs in a task: it reads the
  * slice and writes a base file for each bucket that has rows.
  * @param buckets the new buckets, which together have the keys of the slice, with their file ids */
final private[repair] class BucketDivision(
    slice: FileSlice,
    buckets: Seq[(Bucket, String)],
    hashFields: Array[String]
) extends Serializable {
  import BucketDivision._

  /** Writes the base files.
    * Errors: HUDILITE_CORRUPT_DATA_FILE, also for a key that belongs to another bucket. */
  def run(rewrite: BaseFileRewriter): Seq[FileGroupResult] =
    buckets.grouped(mostOpen).toSeq.flatMap(pass(rewrite, _))

  /** Writes the base files of some buckets. */
  private def pass(
      rewrite: BaseFileRewriter,
      some: Seq[(Bucket, String)]
  ): Seq[FileGroupResult] = {
    val count = some.head._1.count
    val places = some.map(_._1.number).zipWithIndex.toMap
    val numbers = buckets.map(_._1.number).toSet
    rewrite.divide(slice, some.map(_._2).toIndexedSeq) { key =>
      val number = BucketIndex.bucketOfKeyUtf8(key, hashFields, count)
      if (!numbers(number)) throw BucketJoin.misplaced(key, Bucket(number, count), Seq(slice))
      places.get(number)
    }
  }
}

private object BucketDivision {

  /** Files that one pass over the rows writes. Each holds a row group in memory. */
  private final val mostOpen = 16
}
