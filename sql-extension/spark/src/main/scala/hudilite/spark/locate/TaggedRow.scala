package hudilite.spark.locate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  AttributeReference,
  SortOrder
}
import org.apache.spark.sql.types.{IntegerType, StringType}

/** Layout of a source row behind `TagRows`: the columns of its tag, then the columns of the
  * source. */
object TaggedRow {

  /** Ordinal of the partition path; the value is null if the statement looks into every
    * partition. */
  val PartitionAt = 0

  /** Ordinal of the bucket number, or of the file group's number in a table without buckets. */
  val BucketAt = 1

  /** Ordinal of the record key; the value is null if a key column is. */
  val KeyAt = 2

  /** Ordinal of the partition path that the row looks into; null if it looks into every one. */
  val PinnedAt = 3

  /** Columns of the tag. */
  val output: Seq[AttributeReference] = Seq(
    AttributeReference("partition_path", StringType)(),
    AttributeReference("bucket", IntegerType, nullable = false)(),
    AttributeReference("record_key", StringType)(),
    AttributeReference("pinned_path", StringType)()
  )

  /** Returns the columns that identify the file group. */
  def fileGroup(tagged: Seq[Attribute]): Seq[Attribute] = Seq(PartitionAt, BucketAt).map(tagged)

  /** Returns the columns that identify a record before its file group is known. */
  def record(tagged: Seq[Attribute]): Seq[Attribute] = Seq(PartitionAt, KeyAt).map(tagged)

  /** Returns the order in which a task merges: by file group, then by record key. */
  def order(tagged: Seq[Attribute]): Seq[SortOrder] =
    (fileGroup(tagged) :+ tagged(KeyAt)).map(SortOrder(_, Ascending))

  /** Whether the row has a record key: a row without one matches no other. */
  def hasKey(row: InternalRow): Boolean = !row.isNullAt(KeyAt)
}
