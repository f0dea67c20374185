package hudilite.spark.merge

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.MetaFields
import hudilite.io.Storage
import hudilite.spark.write.{LogContent, NewLogFile, TaskAttempt}
import hudilite.timeline.WriteStat
import hudilite.view.FileSlice

/** New log file of a file group (task side). It is created when it is closed, so rows that are given up
  * cost no file.
  * @param slice  slice that the log file belongs to
  * @param limit  maximum number of bytes
  * Source: merge-on-read §8.2 */
final class NewLog(
    facts: MergeTaskFacts,
    storage: Storage,
    conf: Configuration,
    attempt: TaskAttempt,
    slice: FileSlice,
    limit: Long
) extends NewGroupFile {
  private val keys = NewBaseFile.allKeys(facts, None)
  private val content = new LogContent(facts.write.instant, facts.avroSchema, slice.partition, conf,
    facts.fileSchema, facts.layout, keys)
  private val keyAt = facts.fileSchema.fieldIndex(MetaFields.RecordKey)
  private var isRefused = false
  private lazy val bytes = content.finish()

  override val rows: NewRows =
    new NewRows(facts, attempt, slice.partition, UTF8String.fromString(slice.fileId))

  override val needsAllKeys: Boolean = false

  override def addKey(key: UTF8String): Unit = ()

  /** Refuses the log file: only a new base file expresses the change. */
  def refuse(): Unit = isRefused = true

  /** Writes a row of all table columns, meta columns first. */
  def write(row: InternalRow): Unit = if (!isFull) {
    val stored = rows.stored(row)
    val key = stored.getUTF8String(keyAt)
    keys.add(key)
    content.write(key.toString, stored)
  }

  /** Deletes the row of a key. */
  def delete(key: UTF8String): Unit = content.delete(key.toString)

  /** Ends the content.
    * @return whether it may become a log file: it was not refused and has at most `limit` bytes */
  def isAccepted: Boolean = !isFull && bytes.length <= limit

  /** Size of the content in bytes; ends it. */
  def length: Long = bytes.length.toLong

  private def isFull: Boolean = isRefused || content.size > limit

  override def close(written: Long): NewGroupFile.Closed = {
    val file = new NewLogFile(facts.write, storage, attempt, slice)
    val name = file.create(bytes)
    val before = slice.logs.filter(_.name.instant == file.instant).map(_.path.getName)
    val base = slice.baseName.filter(_ => file.instant == slice.instant).getOrElse("")
    val log = WriteStat.Log(name.version, base, before :+ name.text)
    NewGroupFile.Closed(name.text, length, RowGroupCounts.none,
      Some(file.instant -> log))
  }

  override def abandon(): Unit = content.abandon()
}
