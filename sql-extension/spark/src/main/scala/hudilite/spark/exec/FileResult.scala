package hudilite.spark.exec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.FileId
import hudilite.timeline.WriteStat
import hudilite.view.FileSlice

/** What a task says of one file group that it looked at.
  *
  * @param fileName   the new base file, or None where the group was read and left as it was
  * @param movedIn    rows that came from another partition, counted in `inserts` too
  * @param movedOut   rows that went to another partition, counted in `deletes` too
  * @param partitionGroups file groups that the partition has in the snapshot, 0 where nobody counts them
  * @param rowGroups how the new file's row groups came about
  * @param noCopy    why no bytes of the old file were copied, in a word, where that was so
  */
final case class FileResult(
    partition: String,
    bucket: Int,
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
    partitionGroups: Int,
    rowGroups: RowGroupCounts = RowGroupCounts.none,
    noCopy: Option[String] = None
) {

  /** Path of the new base file, relative to the table. */
  def relativePath: String = (Seq(partition).filter(_.nonEmpty) ++ fileName).mkString("/")

  /** What the commit says of the new base file. */
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
      bucket,
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
      partitionGroups,
      rowGroups.toRow,
      noCopy.map(UTF8String.fromString).orNull
    )
  )
}

object FileResult {
  val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("bucket", IntegerType, nullable = false)
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
    .add("partition_groups", IntegerType, nullable = false)
    .add("row_groups", RowGroupCounts.schema, nullable = false)
    .add("no_copy", StringType)

  /** A slice that the statement looked into and left as it was.
    * @param partitionGroups file groups that its partition has */
  def unchanged(slice: FileSlice, partitionGroups: Int): FileResult = FileResult(
    slice.partition,
    FileId.bucketOf(slice.fileId).getOrElse(-1),
    slice.fileId,
    fileName = None,
    prevCommit = Some(slice.instant),
    prevBaseFile = Some(slice.fileName),
    rows = 0,
    inserts = 0,
    updates = 0,
    deletes = 0,
    movedIn = 0,
    movedOut = 0,
    fileBytes = 0,
    partitionGroups
  )

  def fromRow(row: InternalRow): FileResult = {
    def text(i: Int): Option[String] = if (row.isNullAt(i)) None else Some(row.getString(i))
    FileResult(
      row.getString(0),
      row.getInt(1),
      row.getString(2),
      text(3),
      text(4),
      text(5),
      row.getLong(6),
      row.getLong(7),
      row.getLong(8),
      row.getLong(9),
      row.getLong(10),
      row.getLong(11),
      row.getLong(12),
      row.getInt(13),
      RowGroupCounts.fromRow(row.getStruct(14, RowGroupCounts.schema.size)),
      text(15)
    )
  }
}
