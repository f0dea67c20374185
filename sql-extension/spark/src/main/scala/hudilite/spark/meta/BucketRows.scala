package hudilite.spark.meta

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DoubleType, IntegerType, LongType, StructType}

/** Rows that show how the rows of a table are distributed over its buckets. */
object BucketRows {

  /** `skew` is the bucket's row count over the mean of all buckets; null in an empty table. */
  val schema: StructType = new StructType()
    .add("bucket", IntegerType, nullable = false)
    .add("files", LongType, nullable = false)
    .add("rows", LongType)
    .add("bytes", LongType, nullable = false)
    .add("skew", DoubleType)

  /** Returns one row for each bucket, also for a bucket without a file.
    * @param count number of buckets of the table */
  def of(list: FileList, count: Int): Seq[InternalRow] = {
    val slices = list.slices.groupBy(slice => list.bucket(slice).getOrElse(-1))
    val rows = Seq.tabulate(count) { bucket =>
      PartitionRows.sum(slices.getOrElse(bucket, Nil).map(list.rows))
    }
    val mean = PartitionRows.sum(rows).map(_.toDouble / count).filter(_ > 0)
    rows.zipWithIndex.map { case (known, bucket) =>
      val inIt = slices.getOrElse(bucket, Nil)
      val skew = for (rows <- known; of <- mean) yield rows / of
      MetadataRows.row(bucket, inIt.map(_.files.size).sum.toLong, known,
        inIt.map(_.wholeLength).sum, skew)
    }
  }
}
