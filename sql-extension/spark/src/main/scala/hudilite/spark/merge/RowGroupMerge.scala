package hudilite.spark.merge

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  GenericInternalRow,
  JoinedRow,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.write.{BaseFileWriter, CopiedColumns, NoCopy, OldColumnChunks}

/** Writer of the rows of an old base file and of a merge's changes to them, row group by row group
  * (task side).
  *
  * A row group without changes is copied as bytes. If its rows are only updated, the columns that
  * no update changes are copied. Everything else is read in vectors and encoded again, and so is
  * every row group if the old file's bytes must not be copied.
  * Source: performance 3.2-3.4.
  *
  * @param barrier why no bytes of the old file are copied, even if the new file could take them
  * @param newName name of the new file
  * @param open    returns the new file, and creates it at the first call
  */
final class RowGroupMerge(
    facts: MergeTaskFacts,
    file: OldBaseFile,
    barrier: Option[NoCopy],
    newName: UTF8String,
    open: () => BaseFileWriter
) {
  private val bytes =
    new OldColumnChunks(file.opened.reader.getFooter, file.opened.stream, read => file.named(read))
  private val changes, none = new RowGroupChanges
  private val meta = new GenericInternalRow(ReencodedColumns.ofPatch.size)
  private val joined = new JoinedRow
  private val patch = UnsafeProjection.create(
    ReencodedColumns.ofPatch.map(_ => StringType).toArray ++
      facts.updated.map(facts.schema(_).dataType)
  )
  private val whole = UnsafeProjection.create(facts.fileSchema)
  private val copiedColumns =
    facts.fileSchema.fieldNames.toSet -- facts.changedColumns.schema.fieldNames
  private var current = 0 // the row group whose changes are being collected
  private var firstRow = file.groups.headOption.fold(0L)(_.firstRow) // of the current row group
  private var written = 0 // row groups of the old file that are in the new one

  /** Why no bytes of the old file are copied. Creates the new file, so it is used only if there is
    * something to write. */
  lazy val noCopy: Option[NoCopy] = barrier.orElse(open().noCopy(bytes))

  meta.update(0, UTF8String.fromString(facts.write.instant))

  /** @param position number of the row in the old file, not less than in the call before
    * @param sequence `_hoodie_commit_seqno` of the new row
    * @param values   of the columns that UPDATE clauses change */
  def update(position: Long, sequence: UTF8String, values: UnsafeRow): Unit = {
    meta.update(1, sequence)
    changes.update(rowOf(position, position), patch(joined(meta, values)))
  }

  def delete(position: Long): Unit = changes.delete(rowOf(position, position))

  /** @param position number of the old row before which the new one is inserted */
  def insert(position: Long, row: InternalRow): Unit =
    changes.insert(rowOf(position, position - 1), whole(row))

  /** Writes the remaining row groups. Called only if something has changed. */
  def finish(): Unit = {
    if (!changes.isEmpty) writeChanged()
    copyUntil(file.groups.size)
  }

  /** Advances to the row group that a change belongs to and returns the row's number in it.
    * @param beside number of a row in that row group */
  private def rowOf(position: Long, beside: Long): Int = {
    while (current + 1 < file.groups.size && beside >= file.groups(current).endRow) {
      if (!changes.isEmpty) writeChanged()
      current += 1
      firstRow = file.groups(current).firstRow
    }
    (position - firstRow).toInt
  }

  private def writeChanged(): Unit = {
    copyUntil(current)
    file.groups.lift(current) match {
      case Some(group) if noCopy.isEmpty && changes.isUpdatesOnly => patchColumns(group)
      case Some(group) if noCopy.isEmpty && isNewGroup(group) =>
        copy(group)
        encode(None, changes, group.rows)
      case group => encode(group, changes)
    }
    written = current + 1
    changes.clear()
  }

  /** Whether rows appended to a row group become a new row group of their own. */
  private def isNewGroup(group: OldRowGroup): Boolean =
    changes.isAppend(group.rows) && group.rows + changes.growth > facts.layout.rowGroupRows

  private def copyUntil(end: Int): Unit =
    while (written < end) {
      val group = file.groups(written)
      if (noCopy.isEmpty) copy(group) else encode(Some(group), none)
      written += 1
    }

  private def copy(group: OldRowGroup): Unit =
    open().copyRowGroup(bytes, group.ordinal, newName.toString)

  private def patchColumns(group: OldRowGroup): Unit = {
    open().startRowGroup(CopiedColumns(bytes, group.ordinal, copiedColumns))
    rewrite(Some(group), changes, facts.changedColumns, Long.MaxValue)
    open().endRowGroup()
  }

  /** Encodes a row group into new ones of about equal size, none larger than configured. If nothing
    * is copied, new row groups may span the borders of old ones. */
  private def encode(group: Option[OldRowGroup], changes: RowGroupChanges, passed: Long = 0): Unit =
    if (noCopy.nonEmpty) rewrite(group, changes, facts.allColumns, Long.MaxValue)
    else {
      val rows = group.fold(0L)(_.rows) + changes.growth
      val groups = math.max(1L, facts.layout.rowGroupsOf(rows))
      open().endRowGroup()
      rewrite(group, changes, facts.allColumns, (rows + groups - 1) / groups, passed)
      open().endRowGroup()
    }

  /** Writes the rows of a row group with their changes.
    * @param most   maximum rows of a new row group
    * @param passed rows of the old row group that are already in the new file */
  private def rewrite(
      group: Option[OldRowGroup],
      changes: RowGroupChanges,
      columns: ReencodedColumns,
      most: Long,
      passed: Long = 0
  ): Unit = {
    val batches = group.map(of => columns.read(file, of.block, newName))
    try {
      val rows = new RowGroupMerge.Merged(batches, columns.places, open(), most, passed.toInt)
      changes.foreach(rows)
      rows.carryUntil(Math.toIntExact(group.fold(0L)(_.rows)))
    } finally batches.foreach(_.close())
  }
}

private object RowGroupMerge {

  /** Merge of the old rows of one row group with its changes.
    *
    * @param places position of each column in a patch
    * @param most   maximum rows of a new row group
    */
  final private class Merged(
      old: Option[PartitionReader[ColumnarBatch]],
      places: Array[Int],
      out: BaseFileWriter,
      most: Long,
      passed: Int
  ) extends RowGroupChanges.Visitor {
    private var at = passed // row in the old row group
    private var batchStart, batchEnd = 0
    private var inGroup = 0L

    override def update(row: Int, patch: InternalRow): Unit = {
      carryUntil(row)
      out.write(batch, at - batchStart, patch, places)
      at += 1
      wrote(1)
    }

    override def delete(row: Int): Unit = {
      carryUntil(row)
      at += 1
    }

    override def insert(row: Int, values: InternalRow): Unit = {
      carryUntil(row)
      out.write(values)
      wrote(1)
    }

    /** Copies old rows unchanged, up to but without `row`. */
    def carryUntil(row: Int): Unit =
      while (at < row) {
        val rows = batch
        val end = at + math.min((math.min(row, batchEnd) - at).toLong, most - inGroup).toInt
        out.write(rows, at - batchStart, end - batchStart)
        wrote(end - at)
        at = end
      }

    /** Returns the batch that contains the next old row. */
    private def batch: ColumnarBatch = {
      val reader = old.getOrElse(throw new IllegalStateException("no old rows"))
      while (at >= batchEnd) {
        if (!reader.next()) throw new IllegalStateException(s"no old row $at")
        batchStart = batchEnd
        batchEnd += reader.get().numRows
      }
      reader.get()
    }

    private def wrote(rows: Int): Unit = {
      inGroup += rows
      if (inGroup == most) {
        out.endRowGroup()
        inGroup = 0
      }
    }
  }
}
