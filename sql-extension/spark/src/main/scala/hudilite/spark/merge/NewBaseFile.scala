package hudilite.spark.merge

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.io.Storage
import hudilite.spark.write.{
  BaseFileWriter,
  FooterKeys,
  FooterPairs,
  FooterPlan,
  NewDataFile,
  TaskAttempt
}

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
) extends NewGroupFile {
  private var count = 0L
  private val file = new NewDataFile(
    facts.write,
    storage,
    attempt,
    partition,
    fileId,
    isFirst
  )(new BaseFileWriter(_, conf, facts.fileSchema, facts.layout, () => keys.footer(count)))

  val name: UTF8String = UTF8String.fromString(file.name)

  override val rows: NewRows = new NewRows(facts, attempt, partition, name)

  override val needsAllKeys: Boolean = keys.needsAllKeys

  override def addKey(key: UTF8String): Unit = keys.add(key)

  /** Writer of the file; the first call creates the file. */
  def writer: BaseFileWriter = file.writer

  /** Writes a row of all table columns, meta columns first. */
  def write(row: InternalRow): Unit = writer.write(rows.stored(row))

  override def close(written: Long): NewGroupFile.Closed = {
    val created = writer
    count = written
    NewDataFile.seal(facts.write, storage, Seq(file.close()))
    NewGroupFile.Closed(file.name, file.length, RowGroupCounts.of(created))
  }

  /** Length of the closed file in bytes. */
  def length: Long = file.length

  override def abandon(): Unit = file.abandon()
}

object NewBaseFile {

  /** Returns the footer's pairs of a new base file that replaces one without log files. */
  def keys(facts: MergeTaskFacts, old: OldBaseFileFooter): FooterPairs =
    collector(facts, FooterPlan.of(facts.layout.filters, old.keys))

  /** Returns the footer's pairs of a new file to which the keys of all its rows are added.
    * @param old footer of the base file of the slice that it replaces, if there is one */
  def allKeys(facts: MergeTaskFacts, old: Option[OldBaseFileFooter]): FooterPairs =
    collector(facts,
      FooterPlan.ofAllKeys(facts.layout.filters, old.exists(_.keys.hasFilter)))

  private def collector(facts: MergeTaskFacts, plan: FooterPlan): FooterPairs =
    new FooterKeys(plan, facts.avroSchema, facts.layout.filterType)
}
