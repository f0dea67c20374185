package hudilite.spark.merge

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.write.{CopiedColumns, NoCopy}

/** Receiver of the rows of a merge that writes them row group by row group (task side). It ignores
  * old rows that stay as they are, and writes them when it knows all changes of their row group.
  *
  * A row group without changes is copied as bytes. If its rows are only updated, the columns that
  * no update changes are copied. Everything else is read in vectors and encoded again, and so is
  * every row group if the old file's bytes must not be copied. A row group none of whose rows stays
  * as it is needs only the columns that no update changes, and none if all its rows are deleted.
  * Source: performance 3.2-3.4.
  *
  * @param barrier why no bytes of the old file are copied, even if the new file could take them
  * @param part    what a part file does not contain; None if the new file is complete, so that row
  *                groups without changes are copied into it
  */
final class RowGroupMerge(
    facts: MergeTaskFacts,
    old: OldBaseFile,
    barrier: Option[NoCopy],
    file: NewBaseFile,
    part: Option[PartContents] = None
) extends MergeOutput[SeekableBaseFileRows] {
  private val chunks = old.chunks
  private val changes, none = new RowGroupChanges
  private val copiedColumns =
    facts.fileSchema.fieldNames.toSet -- facts.changedColumns.schema.fieldNames
  private var current = 0 // the row group whose changes are being collected
  private var firstRow = old.rowGroups.headOption.fold(0L)(_.firstRow) // of the current row group
  private var written = 0 // row groups of the old file that are in the new one
  private var growth = 0L // rows of the new file beyond those of the old one

  /** Why no bytes of the old file are copied. Creates the new file, so it is used only if there is
    * something to write. */
  override lazy val noCopy: Option[NoCopy] = barrier.orElse(file.writer.noCopy(chunks))

  override def carry(rows: SeekableBaseFileRows): Unit = ()

  /** @param values values of the columns that UPDATE clauses change */
  override def update(rows: SeekableBaseFileRows, values: UnsafeRow): Unit = {
    val position = rows.position
    changes.update(rowOf(position, position), values)
  }

  override def delete(rows: SeekableBaseFileRows): Unit = {
    val position = rows.position
    changes.delete(rowOf(position, position))
    growth -= 1
  }

  override def insert(rows: SeekableBaseFileRows, key: UTF8String, values: UnsafeRow): Unit = {
    val position = rows.position
    changes.insert(rowOf(position, position - 1), key, values)
    growth += 1
  }

  override def finish(): Long = {
    if (!changes.isEmpty) writeChanged()
    copyUntil(old.rowGroups.size)
    old.rows + growth
  }

  /** Advances to the row group that a change belongs to and returns the row's number in it.
    * @param position number of the row in the old file, not less than in the call before
    * @param beside   number of a row in that row group */
  private def rowOf(position: Long, beside: Long): Int = {
    while (current + 1 < old.rowGroups.size && beside >= old.rowGroups(current).endRow) {
      if (!changes.isEmpty) writeChanged()
      current += 1
      firstRow = old.rowGroups(current).firstRow
    }
    (position - firstRow).toInt
  }

  private def writeChanged(): Unit = {
    copyUntil(current)
    old.rowGroups.lift(current) match {
      case Some(rowGroup) if noCopy.isEmpty && changes.isUpdatesOnly => patchColumns(rowGroup)
      case Some(rowGroup) if noCopy.isEmpty && isNewRowGroup(rowGroup) =>
        copy(rowGroup)
        encode(None, changes, rowGroup.rows)
      case rowGroup => encode(rowGroup, changes)
    }
    written = current + 1
    changes.clear()
  }

  /** Whether rows appended to a row group become a new row group of their own. */
  private def isNewRowGroup(rowGroup: OldRowGroup): Boolean =
    changes.isAppend(rowGroup.rows) &&
      rowGroup.rows + changes.growth > facts.layout.rowGroupRows

  private def copyUntil(end: Int): Unit =
    while (written < end) {
      val rowGroup = old.rowGroups(written)
      if (noCopy.isEmpty) copy(rowGroup) else encode(Some(rowGroup), none)
      written += 1
    }

  private def copy(rowGroup: OldRowGroup): Unit = part match {
    case None => file.writer.copyRowGroup(chunks, rowGroup.ordinal, file.name.toString)
    case Some(contents) =>
      file.writer.endRowGroup()
      contents.leaveOut(rowGroup.ordinal, file.writer.rowGroups)
  }

  private def patchColumns(rowGroup: OldRowGroup): Unit = {
    file.writer.startRowGroup(CopiedColumns(chunks, rowGroup.ordinal, copiedColumns))
    rewrite(Some(rowGroup), changes, facts.changedColumns, Long.MaxValue)
    file.writer.endRowGroup()
  }

  /** Encodes a row group into new ones of about equal size, none larger than configured. If nothing
    * is copied, new row groups may span the borders of old ones. */
  private def encode(
      rowGroup: Option[OldRowGroup],
      changes: RowGroupChanges,
      passed: Long = 0
  ): Unit =
    if (noCopy.nonEmpty) rewrite(rowGroup, changes, facts.allColumns, Long.MaxValue)
    else {
      val rows = rowGroup.fold(0L)(_.rows) + changes.growth
      val parts = math.max(1L, facts.layout.rowGroupsOf(rows))
      file.writer.endRowGroup()
      rewrite(rowGroup, changes, facts.allColumns, (rows + parts - 1) / parts, passed)
      file.writer.endRowGroup()
    }

  /** Writes the rows of a row group with their changes.
    * @param most   maximum rows of a new row group
    * @param passed rows of the old row group that are already in the new file */
  private def rewrite(
      rowGroup: Option[OldRowGroup],
      changes: RowGroupChanges,
      columns: ReencodedColumns,
      most: Long,
      passed: Long = 0
  ): Unit = {
    val size = rowGroup.fold(0L)(_.rows)
    def open() = {
      val of = rowGroup.getOrElse(throw new IllegalStateException("no old rows"))
      columns.read(old, of.block, file.name, isWhole = changes.leaves(of.rows))
    }
    val rows = new RowGroupMerge.Merged(
      () => open(),
      columns.places,
      file,
      most,
      passed.toInt,
      row => part.foreach(_.insert(row))
    )
    try {
      changes.foreach(rows)
      rows.carryUntil(Math.toIntExact(size))
      file.writer.release()
    } finally rows.close()
  }
}

private object RowGroupMerge {

  /** Merge of the old rows of one row group with its changes.
    *
    * @param open   opens the old rows, when the first of them is needed
    * @param places position of each column in a patch
    * @param most   maximum rows of a new row group
    * @param noted  called with the number of each inserted row in the new file
    */
  final private class Merged(
      open: () => PartitionReader[ColumnarBatch],
      places: Array[Int],
      file: NewBaseFile,
      most: Long,
      passed: Int,
      noted: Long => Unit
  ) extends RowGroupChanges.Visitor {
    private val out = file.writer
    private var old = Option.empty[PartitionReader[ColumnarBatch]]
    private var at = passed // row in the old row group
    private var batchStart, batchEnd = 0
    private var inRowGroup = 0L

    override def update(row: Int, values: UnsafeRow): Unit = {
      carryUntil(row)
      val of = batch
      out.write(of, at - batchStart, file.rows.patch(values), places)
      at += 1
      wrote(1)
    }

    override def delete(row: Int): Unit = {
      carryUntil(row)
      at += 1
    }

    override def insert(row: Int, key: UTF8String, values: UnsafeRow): Unit = {
      carryUntil(row)
      noted(out.rows)
      file.write(file.rows.row(key, values))
      wrote(1)
    }

    /** Copies old rows unchanged, up to but without `row`. */
    def carryUntil(row: Int): Unit =
      while (at < row) {
        val rows = batch
        val end = at + math.min((math.min(row, batchEnd) - at).toLong, most - inRowGroup).toInt
        out.write(rows, at - batchStart, end - batchStart)
        wrote(end - at)
        at = end
      }

    def close(): Unit = old.foreach(_.close())

    /** Returns the batch that contains the next old row. */
    private def batch: ColumnarBatch = {
      val reader = old.getOrElse {
        val opened = open()
        old = Some(opened)
        opened
      }
      while (at >= batchEnd) {
        out.release()
        if (!reader.next()) throw new IllegalStateException(s"no old row $at")
        batchStart = batchEnd
        batchEnd += reader.get().numRows
      }
      reader.get()
    }

    private def wrote(rows: Int): Unit = {
      inRowGroup += rows
      if (inRowGroup == most) {
        out.endRowGroup()
        inRowGroup = 0
      }
    }
  }
}
