package hudilite.spark.merge

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.FileId
import hudilite.timeline.WriteStat
import hudilite.view.FileSlice

/** Result of a task for one file group that it read or wrote.
  *
  * @param fileName        the new base file, or None if the file group was read and left unchanged
  * @param movedIn         rows that came from another partition, counted in `inserts` too
  * @param movedOut        rows that went to another partition, counted in `deletes` too
  * @param partitionFileGroups file groups that the partition has in the snapshot, 0 if they were
  *                            not counted
  * @param rowGroups       numbers of the new file's row groups, by how they were written
  * @param noCopy          one word for the reason why no bytes of the old file were copied, if none
  *                        were
  */
final case class FileGroupResult(
    partition: String,
    fileId: String,
    fileName: Option[String],
    prevCommit: Option[String],
    prevBaseFile: Option[String],
    rows: Long,
    inserts: Long,
    updates: Long,
    deletes: Long,
    movedIn: Long,
    movedOut: Long,
    fileBytes: Long,
    partitionFileGroups: Int,
    rowGroups: RowGroupCounts = RowGroupCounts.none,
    noCopy: Option[String] = None
) {

  /** Returns the bucket, in a table with buckets. */
  def bucket: Int = FileId.bucketOf(fileId).getOrElse(
    throw new IllegalStateException(s"INTERNAL: file group $fileId has no bucket")
  )

  /** Returns the path of the new base file, relative to the table. */
  def relativePath: String = (Seq(partition).filter(_.nonEmpty) ++ fileName).mkString("/")

  /** Returns the entry of the new base file in the commit's metadata. */
  def stat: WriteStat =
    WriteStat(
      fileId = fileId,
      path = relativePath,
      prevCommit = prevCommit.getOrElse(WriteStat.noCommit),
      prevBaseFile = prevBaseFile,
      partitionPath = partition,
      numWrites = rows,
      numInserts = inserts,
      numUpdateWrites = updates,
      numDeletes = deletes,
      totalWriteBytes = fileBytes,
      fileSizeInBytes = fileBytes
    )

  def toRow: InternalRow = new GenericInternalRow(
    Array[Any](
      UTF8String.fromString(partition),
      UTF8String.fromString(fileId),
      fileName.map(UTF8String.fromString).orNull,
      prevCommit.map(UTF8String.fromString).orNull,
      prevBaseFile.map(UTF8String.fromString).orNull,
      rows,
      inserts,
      updates,
      deletes,
      movedIn,
      movedOut,
      fileBytes,
      partitionFileGroups,
      rowGroups.toRow,
      noCopy.map(UTF8String.fromString).orNull
    )
  )
}

object FileGroupResult {
  val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("file_id", StringType, nullable = false)
    .add("file_name", StringType)
    .add("prev_commit", StringType)
    .add("prev_base_file", StringType)
    .add("rows", LongType, nullable = false)
    .add("inserts", LongType, nullable = false)
    .add("updates", LongType, nullable = false)
    .add("deletes", LongType, nullable = false)
    .add("moved_in", LongType, nullable = false)
    .add("moved_out", LongType, nullable = false)
    .add("file_bytes", LongType, nullable = false)
    .add("partition_file_groups", IntegerType, nullable = false)
    .add("row_groups", RowGroupCounts.schema, nullable = false)
    .add("no_copy", StringType)

  /** Returns the result for a slice that the statement read and left unchanged.
    * @param partitionFileGroups file groups of its partition */
  def unchanged(slice: FileSlice, partitionFileGroups: Int): FileGroupResult = FileGroupResult(
    slice.partition,
    slice.fileId,
    fileName = None,
    prevCommit = Some(slice.instant),
    prevBaseFile = slice.baseName,
    rows = 0,
    inserts = 0,
    updates = 0,
    deletes = 0,
    movedIn = 0,
    movedOut = 0,
    fileBytes = 0,
    partitionFileGroups
  )

  def fromRow(row: InternalRow): FileGroupResult = {
    def text(i: Int): Option[String] = if (row.isNullAt(i)) None else Some(row.getString(i))
    FileGroupResult(
      row.getString(0),
      row.getString(1),
      text(2),
      text(3),
      text(4),
      row.getLong(5),
      row.getLong(6),
      row.getLong(7),
      row.getLong(8),
      row.getLong(9),
      row.getLong(10),
      row.getLong(11),
      row.getInt(12),
      RowGroupCounts.fromRow(row.getStruct(13, RowGroupCounts.schema.size)),
      text(14)
    )
  }
}
