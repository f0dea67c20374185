package hudilite.spark.merge

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow, UnsafeRow}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.MadeKey
import hudilite.io.Storage
import hudilite.spark.write.{BaseFileWriter, FooterKeys, FooterPairs, NewDataFile, TaskAttempt}

/** New base file of a file group, with the record keys for its footer and the meta columns of its
  * rows (task side).
  *
  * The file is created with the first row written to it, so a file group without rows to write
  * costs nothing.
  *
  * @param isFirst whether it starts its file group
  * @param keys    collects the record keys and makes the footer
  */
final class NewBaseFile(
    facts: MergeTaskFacts,
    storage: Storage,
    conf: Configuration,
    attempt: TaskAttempt,
    partition: String,
    fileId: String,
    isFirst: Boolean,
    keys: FooterPairs
) {
  private val meta = new GenericInternalRow(5)
  private val joined = new JoinedRow
  private val ofFile = Option.when(facts.stored.size < facts.schema.size)(facts.ofFile)
  private var rows = 0L
  private val file = new NewDataFile(
    facts.write,
    storage,
    attempt,
    partition,
    fileId,
    isFirst
  )(new BaseFileWriter(_, conf, facts.fileSchema, facts.layout, () => keys.footer(rows)))

  val name: UTF8String = UTF8String.fromString(file.name)

  private val instant = UTF8String.fromString(facts.write.instant)

  meta.update(0, instant)
  meta.update(3, UTF8String.fromString(partition))
  meta.update(4, name)

  /** Whether the key of each old row that stays must be added, too. */
  val needsAllKeys: Boolean = keys.needsAllKeys

  /** Returns the key of a row to insert: in a table without key columns, a made key gets its instant. */
  def storedKey(key: UTF8String): UTF8String =
    if (facts.isKeyless && key.numBytes > 0 && MadeKey.isEnd(key.getByte(0)))
      UTF8String.concat(instant, key)
    else key

  /** Adds the key of a row of the file. */
  def addKey(key: UTF8String): Unit = keys.add(key)

  /** Writer of the file; the first call creates the file. */
  def writer: BaseFileWriter = file.writer

  /** Writes a row of all table columns, meta columns first. */
  def write(row: InternalRow): Unit = writer.write(ofFile.fold(row)(_(row)))

  /** Returns the next `_hoodie_commit_seqno`. */
  def nextSequence(): UTF8String =
    UTF8String.fromString(attempt.nextSequence(facts.write.instant))

  /** Returns a row with all table columns, in a buffer that the next call reuses.
    * @param values values of all table columns */
  def row(sequence: UTF8String, key: UTF8String, values: UnsafeRow): InternalRow = {
    meta.update(1, sequence)
    meta.update(2, key)
    joined(meta, values)
  }

  /** Closes the file and makes it durable.
    * @param written number of its rows
    * Errors: HUDILITE_WRITE_ROLLED_BACK. */
  def close(written: Long): Unit = {
    rows = written
    NewDataFile.seal(facts.write, storage, Seq(file.close()))
  }

  /** Length of the closed file in bytes. */
  def length: Long = file.length

  /** Gives the file up: deletes what this attempt wrote, complete or not. */
  def abandon(): Unit = file.abandon()
}

object NewBaseFile {

  /** Returns the footer's pairs of a new base file with the keys of the one that it replaces. */
  def keys(facts: MergeTaskFacts, previous: Option[OldBaseFile]): FooterPairs = new FooterKeys(
    previous.flatMap(_.footer.carried),
    facts.avroSchema,
    facts.layout.filterType
  )
}
