package hudilite.spark.locate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  AttributeReference,
  GenericInternalRow,
  SortOrder,
  UnsafeRow
}
import org.apache.spark.sql.types.{IntegerType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** Layout of a tagged row: the columns of its tag, then the columns of the source. All code that
  * knows an ordinal of a tag column is here.
  *
  * There are three kinds of tagged rows:
  *   - a source row with a record key, which has a file group once that has been located
  *   - a source row without a record key, which matches no row and has no file group
  *   - a row that stands for a file group to visit, which has no record key and no source values
  */
object TaggedRow {
  private final val PartitionAt = 0
  private final val BucketAt = 1
  private final val PinnedAt = 3

  /** Ordinal of the record key. */
  final val KeyAt = 2

  /** Columns of the tag:
    *   - the partition path, null if the statement looks into every partition
    *   - the bucket, or the number of the file group in a table without buckets; null if the row
    *     has no file group, or none yet
    *   - the record key, null if a key column is
    *   - the partition path that the row looks into, null if it looks into every one */
  val columns: Seq[AttributeReference] = Seq(
    AttributeReference("partition_path", StringType)(),
    AttributeReference("bucket", IntegerType)(),
    AttributeReference("record_key", StringType)(),
    AttributeReference("pinned_path", StringType)()
  )

  /** Returns the columns that identify the file group. */
  def fileGroup(tagged: Seq[Attribute]): Seq[Attribute] = Seq(PartitionAt, BucketAt).map(tagged)

  /** Returns the columns that identify a record before its file group is known. */
  def record(tagged: Seq[Attribute]): Seq[Attribute] = Seq(PartitionAt, KeyAt).map(tagged)

  /** Returns the columns that identify the partition. */
  def partition(tagged: Seq[Attribute]): Seq[Attribute] = Seq(tagged(PartitionAt))

  /** Returns the order in which a task merges: by file group, then by record key. */
  def mergeOrder(tagged: Seq[Attribute]): Seq[SortOrder] =
    (fileGroup(tagged) :+ tagged(KeyAt)).map(SortOrder(_, Ascending))

  /** Returns the order in which a task looks up file groups: by partition, then by record key. */
  def lookupOrder(tagged: Seq[Attribute]): Seq[SortOrder] =
    record(tagged).map(SortOrder(_, Ascending))

  /** Returns a row that stands for a file group to visit.
    * @param partition None if the file group is one of every partition
    * @param width     number of columns of a tagged row */
  def visit(partition: Option[String], fileGroup: Int, width: Int): InternalRow = {
    val values = new Array[Any](width)
    values(PartitionAt) = partition.map(UTF8String.fromString).orNull
    values(BucketAt) = fileGroup
    new GenericInternalRow(values)
  }

  /** Whether the row has a record key: a row without one matches no other. */
  def hasKey(row: InternalRow): Boolean = !row.isNullAt(KeyAt)

  /** Returns the record key of a row that has one. */
  def key(row: InternalRow): UTF8String = row.getUTF8String(KeyAt)

  /** Whether the row has a file group. */
  def hasFileGroup(row: InternalRow): Boolean = !row.isNullAt(BucketAt)

  /** Returns the bucket or file group number of a row that has a file group. */
  def fileGroup(row: InternalRow): Int = row.getInt(BucketAt)

  /** Sets the file group number in place. */
  def setFileGroup(row: UnsafeRow, number: Int): Unit = row.setInt(BucketAt, number)

  /** Whether the row belongs to one partition; false if the statement looks into every one. */
  def hasPartition(row: InternalRow): Boolean = !row.isNullAt(PartitionAt)

  /** Returns the partition path of a row that belongs to one partition. */
  def partition(row: InternalRow): UTF8String = row.getUTF8String(PartitionAt)

  /** Whether the row looks into one partition only, although the statement looks into every one. */
  def isPinned(row: InternalRow): Boolean = !row.isNullAt(PinnedAt)

  /** Returns the partition path that a pinned row looks into. */
  def pinned(row: InternalRow): UTF8String = row.getUTF8String(PinnedAt)
}
