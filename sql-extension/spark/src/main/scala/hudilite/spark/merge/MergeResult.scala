package hudilite.spark.merge

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, GenericInternalRow}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.{LongType, StructType}

/** Counts of what the tasks that merge file groups have read.
  *
  * @param filesOpened old base files that were read
  * @param bytesRead   bytes read from them, by Hadoop's statistics
  * @param keyed       source rows with a key that reached a file group
  * @param keyless     source rows whose key is null
  * @param changing    source rows that inserted, updated, moved or deleted a row
  */
final case class TaskCounts(
    filesOpened: Long,
    bytesRead: Long,
    keyed: Long,
    keyless: Long,
    changing: Long
) {
  def +(other: TaskCounts): TaskCounts = TaskCounts(
    filesOpened + other.filesOpened,
    bytesRead + other.bytesRead,
    keyed + other.keyed,
    keyless + other.keyless,
    changing + other.changing
  )

  def toRow: InternalRow =
    new GenericInternalRow(Array[Any](filesOpened, bytesRead, keyed, keyless, changing))
}

object TaskCounts {
  val none: TaskCounts = TaskCounts(0, 0, 0, 0, 0)

  val schema: StructType = new StructType()
    .add("files_opened", LongType, nullable = false)
    .add("bytes_read", LongType, nullable = false)
    .add("keyed_rows", LongType, nullable = false)
    .add("keyless_rows", LongType, nullable = false)
    .add("changing_rows", LongType, nullable = false)

  def fromRow(row: InternalRow): TaskCounts = TaskCounts(
    row.getLong(0),
    row.getLong(1),
    row.getLong(2),
    row.getLong(3),
    row.getLong(4)
  )
}

/** Result of one run of MergeFileGroupsExec. Contains only the rows of the attempts whose output
  * Spark kept.
  *
  * @param fileGroups those that were looked at
  * @param parts      parts of the file groups that are left to other tasks because of their size
  * @param samples    changed rows, of a preview
  * @param tagged     when the source rows were with their file groups, as System.nanoTime gives it
  */
final case class MergeResult(
    fileGroups: Seq[FileGroupResult],
    counts: TaskCounts,
    parts: Seq[MergePart] = Nil,
    samples: Seq[SampledRow] = Nil,
    tagged: Long = 0
)

object MergeResult {

  /** Schema of an output row of the operator: for a file group, a part of one, a task, or a changed
    * row of a preview. */
  val schema: StructType = new StructType()
    .add("file_group", FileGroupResult.schema)
    .add("task", TaskCounts.schema)
    .add("part", MergePart.schema)
    .add("sample", SampledRow.schema)

  def attributes: Seq[Attribute] = DataTypeUtils.toAttributes(schema)

  /** Returns the output rows of one task. */
  def rows(
      fileGroups: Seq[FileGroupResult],
      counts: TaskCounts,
      parts: Seq[MergePart] = Nil,
      samples: Seq[SampledRow] = Nil
  ): Seq[InternalRow] =
    fileGroups.map(result => row(fileGroup = Some(result.toRow))) ++
      parts.map(part => row(part = Some(part.toRow))) ++
      samples.map(sample => row(sample = Some(sample.toRow))) :+ row(task = Some(counts.toRow))

  /** Returns the result of all tasks' output rows. */
  def of(rows: Seq[InternalRow]): MergeResult = {
    def structs(at: Int, width: Int) = rows.filterNot(_.isNullAt(at)).map(_.getStruct(at, width))
    MergeResult(
      structs(0, FileGroupResult.schema.size).map(FileGroupResult.fromRow),
      structs(1, TaskCounts.schema.size).map(TaskCounts.fromRow).foldLeft(TaskCounts.none)(_ + _),
      structs(2, MergePart.schema.size).map(MergePart.fromRow),
      structs(3, SampledRow.schema.size).map(SampledRow.fromRow)
    )
  }

  private def row(
      fileGroup: Option[InternalRow] = None,
      task: Option[InternalRow] = None,
      part: Option[InternalRow] = None,
      sample: Option[InternalRow] = None
  ): InternalRow = InternalRow(fileGroup.orNull, task.orNull, part.orNull, sample.orNull)
}
