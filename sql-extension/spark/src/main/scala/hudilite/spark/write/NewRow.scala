package hudilite.spark.write

import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow, UnsafeRow}
import org.apache.spark.unsafe.types.UTF8String

/** Row that is new in a file: the meta columns, then the values of the table's columns (task side).
  * It is reused for all new rows of the file, in which most of the meta columns are the same.
  * @param partition partition path
  * @param fileName  value of `_hoodie_file_name` */
final class NewRow(commitTime: UTF8String, partition: UTF8String, fileName: UTF8String)
    extends JoinedRow {
  private val meta = new GenericInternalRow(NewRow.metaColumns)
  private var current = new UnsafeRow(0)

  Seq(0 -> commitTime, 3 -> partition, 4 -> fileName).foreach { case (j, text) =>
    meta.update(j, text)
  }

  /** Makes it the next row.
    * @param values values of the table's columns; they and the texts must not change while the row
    *               is used */
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

private[write] object NewRow {

  /** Number of meta columns. */
  val metaColumns = 5

  /** Meta columns that differ from row to row: `_hoodie_commit_seqno` and `_hoodie_record_key`. */
  val sequenceAt = 1
  val keyAt = 2
}
