package hudilite.spark.write

import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow, UnsafeRow}
import org.apache.spark.unsafe.types.UTF8String

/** Row that is new in a file: the meta columns, then values of the table's columns (task side). It
  * is reused for all new rows of the file, in which most of the meta columns are the same. As a
  * patch of an old row, it has the values of the columns that change.
  * @param partition partition path
  * @param fileName  value of `_hoodie_file_name` */
final class NewRow(commitTime: UTF8String, partition: UTF8String, fileName: UTF8String)
    extends JoinedRow {
  private val meta = new GenericInternalRow(NewRow.metaColumns)
  private var current = new UnsafeRow(0)

  Seq(NewRow.commitTimeAt -> commitTime, 3 -> partition, 4 -> fileName).foreach { case (j, text) =>
    meta.update(j, text)
  }

  /** Makes it the next row.
    * @param values values of the table's columns, or a row with those that change; they and the
    *               texts must not change while the row is used */
  def of(sequence: UTF8String, key: UTF8String, values: UnsafeRow): NewRow = {
    meta.update(NewRow.sequenceAt, sequence)
    meta.update(NewRow.keyAt, key)
    current = values
    apply(meta, values): Unit
    this
  }

  /** Text of a meta column. */
  def text(column: Int): UTF8String = meta.getUTF8String(column)

  /** Values of the table's columns. */
  def values: UnsafeRow = current
}

object NewRow {

  /** Number of meta columns. */
  val metaColumns = 5

  /** `_hoodie_commit_time`, the same in all rows. */
  val commitTimeAt = 0

  /** Meta columns that differ from row to row: `_hoodie_commit_seqno` and `_hoodie_record_key`. */
  val sequenceAt = 1
  private[write] val keyAt = 2
}
