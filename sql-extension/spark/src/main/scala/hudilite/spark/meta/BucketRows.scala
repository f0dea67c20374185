package hudilite.spark.meta

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DoubleType, IntegerType, LongType, StructType}

/** How the rows of a table lie in its buckets. */
object BucketRows {

  /** `skew` is the bucket's rows over the mean of all buckets; null in an empty table. */
  val schema: StructType = new StructType()
    .add("bucket", IntegerType, nullable = false)
    .add("files", LongType, nullable = false)
    .add("rows", LongType)
    .add("bytes", LongType, nullable = false)
    .add("skew", DoubleType)

  /** One row a bucket, those without a file included.
    * @param count of the table's buckets */
  def of(list: FileList, count: Int): Seq[InternalRow] = {
    val slices = list.slices.groupBy(slice => list.bucket(slice).getOrElse(-1))
    val rows = Seq.tabulate(count) { bucket =>
      PartitionRows.sum(slices.getOrElse(bucket, Nil).map(list.rows))
    }
    val mean = PartitionRows.sum(rows).map(_.toDouble / count).filter(_ > 0)
    rows.zipWithIndex.map { case (known, bucket) =>
      val inIt = slices.getOrElse(bucket, Nil)
      val skew = for (rows <- known; of <- mean) yield rows / of
      MetadataRows.row(bucket, inIt.size.toLong, known, inIt.map(_.wholeLength).sum, skew)
    }
  }
}
