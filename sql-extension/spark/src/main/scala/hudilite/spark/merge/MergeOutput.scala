package hudilite.spark.merge

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.write.NoCopy

/** Receiver of the rows of a merge in the order of their keys, which writes them to the new base
  * file (task side).
  *
  * @tparam R rows of the old base file, as this receiver needs them */
trait MergeOutput[R <: BaseFileRows] {

  /** Keeps the current old row as it is. */
  def carry(old: R): Unit

  /** Changes the current old row.
    * @param values those that the compiled UPDATE clauses return */
  def update(old: R, values: UnsafeRow): Unit

  /** Drops the current old row. */
  def delete(old: R): Unit

  /** Inserts a row before the current old row.
    * @param values values of all table columns */
  def insert(old: R, key: UTF8String, values: UnsafeRow): Unit

  /** Writes the remaining rows. Called only if something has changed.
    * @return number of rows of the new file */
  def finish(): Long

  /** Returns why no bytes of the old base file were copied, after `finish`. */
  def noCopy: Option[NoCopy]
}

/** Receiver that writes the changes alone (task side).
  *
  * @param ordering ordering fields by which readers compare rows of log files, if they do
  * @param inserts whether inserted rows may be in a log file */
final class ChangesMerge(
    file: NewLog,
    ordering: Option[OrderingOfRows],
    inserts: Boolean
) extends MergeOutput[BaseFileRows] {
  private var rows = 0L

  override def carry(old: BaseFileRows): Unit = ()

  override def update(old: BaseFileRows, values: UnsafeRow): Unit = {
    if (ordering.exists(_.isLower(values, old.row)))
      file.refuse() // other readers would not show the new one
    add(old.key, values)
  }

  override def delete(old: BaseFileRows): Unit = file.delete(old.key)

  override def insert(old: BaseFileRows, key: UTF8String, values: UnsafeRow): Unit = {
    if (!inserts || ordering.exists(isBeaten(_, old, key, values))) file.refuse()
    add(key, values)
  }

  /** Whether readers would not take an inserted row: it has no ordering value, or a lower one than a
    * row of the same key that was deleted just now. */
  private def isBeaten(
      by: OrderingOfRows,
      old: BaseFileRows,
      key: UTF8String,
      values: UnsafeRow
  ): Boolean = if (old.hasRow && old.key == key) by.isLower(values, old.row) else by.hasNull(values)

  private def add(key: UTF8String, values: UnsafeRow): Unit = {
    file.write(file.rows.row(key, values))
    rows += 1
  }

  override def finish(): Long = rows

  override def noCopy: Option[NoCopy] = None
}

/** Receiver that writes each row when it comes, and old rows of one batch that follow each other together
  * (task side).
  *
  * @param noCopy why no bytes of the old base file are copied, if there is one
  * @param takesBatches whether the columns of a batch are those of the new file */
final class RowByRowMerge(
    file: NewBaseFile,
    override val noCopy: Option[NoCopy],
    takesBatches: Boolean
) extends MergeOutput[BaseFileRows] {
  private var rows = 0L
  private var batch = BaseFileRows.noBatch
  private var from, until = 0 // rows of the batch that are not written yet

  override def carry(old: BaseFileRows): Unit = {
    if (takesBatches && old.currentBatch.numRows > 0) hold(old) else write(old.row)
    rows += 1
    leave(old)
  }

  override def update(old: BaseFileRows, values: UnsafeRow): Unit = {
    insert(old, old.key, values)
    leave(old)
  }

  override def delete(old: BaseFileRows): Unit = leave(old)

  override def insert(old: BaseFileRows, key: UTF8String, values: UnsafeRow): Unit = {
    write(file.rows.row(key, values))
    rows += 1
  }

  override def finish(): Long = {
    writeHeld()
    rows
  }

  private def hold(old: BaseFileRows): Unit = {
    if (from == until || until != old.indexInBatch) {
      writeHeld()
      batch = old.currentBatch
      from = old.indexInBatch
    }
    until = old.indexInBatch + 1
  }

  private def write(row: InternalRow): Unit = {
    writeHeld()
    file.write(row)
  }

  private def writeHeld(): Unit = if (from < until) {
    file.writer.write(batch, from, until)
    from = until
  }

  /** Lets go of the batch of a row that is its last one, because the next row comes in another batch. */
  private def leave(old: BaseFileRows): Unit =
    if (takesBatches && old.endsBatch) {
      writeHeld()
      file.writer.release()
    }
}
