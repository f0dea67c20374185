package hudilite.spark.merge

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.MadeKey
import hudilite.spark.write.{NewRow, TaskAttempt}

/** Meta columns of the rows that one file gets (task side).
  * @param fileName value of `_hoodie_file_name` */
final class NewRows(
    facts: MergeTaskFacts,
    attempt: TaskAttempt,
    partition: String,
    fileName: UTF8String
) {
  private val ofFile = Option.when(!facts.storesAll)(facts.ofFile)
  private val instant = UTF8String.fromString(facts.write.instant)
  private val sequence = attempt.sequenceNumbers(facts.write.instant)
  private val created = new NewRow(instant, UTF8String.fromString(partition), fileName)

  /** Returns the key of a row to insert: in a table without key columns, a made key gets its instant. */
  def storedKey(key: UTF8String): UTF8String =
    if (facts.isKeyless && key.numBytes > 0 && MadeKey.isEnd(key.getByte(0)))
      UTF8String.concat(instant, key)
    else key

  /** Returns the next row of the file with all table columns, in a buffer that the next call
    * reuses.
    * @param values values of all table columns */
  def row(key: UTF8String, values: UnsafeRow): NewRow = created.of(sequence.next(), key, values)

  /** Returns the next row of the file as a patch of an old one, whose record key stays; otherwise
    * as above.
    * @param values values of the columns that change */
  def patch(values: UnsafeRow): NewRow = row(UTF8String.EMPTY_UTF8, values)

  /** Returns the columns of a row that the file stores.
    * @param row all table columns, meta columns first */
  def stored(row: InternalRow): InternalRow = ofFile.fold(row)(_(row))
}
