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
  * @param fileName        the new base or log file, or None if the file group was read and left unchanged
  * @param movedIn         rows that had another key or came from another partition, counted in
  *                        `inserts` too
  * @param movedOut        rows that got another key or went to another partition, counted in
  *                        `deletes` too
  * @param partitionFileGroups file groups that the partition has in the snapshot, 0 if they were
  *                            not counted
  * @param rowGroups       numbers of the new file's row groups, by how they were written
  * @param noCopy          one word for the reason why no bytes of the old file were copied, if none
  *                        were
  * @param log             facts of a new log file
  * @param upserts         rows of it that were inserted or updated; which one is not known
  * @param deletions       keys of it whose rows are deleted if there are any
  * @param replaced        inserted rows that have the key of a deleted row, counted in `inserts` and
  *                        `deletes` too; the file contains an update of the key
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
    noCopy: Option[String] = None,
    log: Option[WriteStat.Log] = None,
    upserts: Long = 0,
    deletions: Long = 0,
    replaced: Long = 0
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
      prevBaseFile = prevBaseFile.filter(_ => log.isEmpty),
      partitionPath = partition,
      numWrites = rows,
      numInserts = inserts - replaced,
      numUpdateWrites = updates + upserts + replaced,
      numDeletes = deletes + deletions - replaced,
      totalWriteBytes = fileBytes,
      fileSizeInBytes = fileBytes,
      log = log
    )

  /** Returns the result with the log file of another one, which was written without reading the
    * table: what changes is known, and the file is the same. */
  def withLogOf(blind: FileGroupResult): FileGroupResult = copy(
    fileName = blind.fileName,
    prevCommit = blind.prevCommit,
    rows = inserts + updates,
    fileBytes = blind.fileBytes,
    log = blind.log
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
      noCopy.map(UTF8String.fromString).orNull,
      log.fold(0)(_.version),
      log.map(of => UTF8String.fromString(of.baseFile)).orNull,
      log.map(of => UTF8String.fromString(of.logFiles.mkString("/"))).orNull,
      upserts,
      deletions,
      replaced
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
    .add("log_version", IntegerType, nullable = false)
    .add("log_base_file", StringType)
    .add("log_files", StringType)
    .add("upserts", LongType, nullable = false)
    .add("deletions", LongType, nullable = false)
    .add("replaced", LongType, nullable = false)

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

  /** Returns the result for a slice that got a log file and was not read.
    * @param partitionFileGroups file groups of its partition
    * @param file                the log file */
  def blind(
      slice: FileSlice,
      partitionFileGroups: Int,
      counts: BlindMerge.Counts,
      file: NewGroupFile.Closed
  ): FileGroupResult = unchanged(slice, partitionFileGroups).copy(
    fileName = Some(file.name),
    prevCommit = file.log.map(_._1),
    rows = counts.upserts,
    fileBytes = file.length,
    log = file.log.map(_._2),
    upserts = counts.upserts,
    deletions = counts.deletions
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
      text(14),
      text(16).map(WriteStat.Log(row.getInt(15), _, text(17).toSeq.flatMap(_.split('/')))),
      row.getLong(18),
      row.getLong(19),
      row.getLong(20)
    )
  }
}
