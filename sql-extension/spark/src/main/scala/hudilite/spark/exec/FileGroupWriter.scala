package hudilite.spark.exec

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{
  GenericInternalRow,
  JoinedRow,
  UnsafeRow
}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException
import hudilite.format.BaseFileName
import hudilite.io.Storage
import hudilite.spark.write.{BaseFileWriter, FooterKeys}
import hudilite.timeline.{Markers, Transaction}
import hudilite.view.FileSlice

/** Writes the new base file of one file group and counts what happened to its rows (task side).
  *
  * The file is opened with the first row, so a group without rows to write costs nothing; a file
  * that turns out equal to the old one is deleted again.
  *
  * @param previous the slice that the new file replaces
  * @param footer   key-value pairs of the old file's footer
  * @param partitionGroups file groups that the partition has in the snapshot
  */
final class FileGroupWriter(
    facts: MergeFacts,
    storage: Storage,
    conf: Configuration,
    attempt: TaskAttempt,
    partition: String,
    bucket: Int,
    fileId: String,
    previous: Option[FileSlice],
    footer: OldFooter,
    partitionGroups: Int
) {
  private val name = BaseFileName(fileId, attempt.writeToken, facts.instant).text
  private val basePath = new Path(facts.basePath)
  private val path = Storage.resolve(Storage.resolve(basePath, partition), name)
  private val marker = if (previous.isEmpty) Markers.Create else Markers.Merge
  private val keys = new FooterKeys(footer.carried, facts.avroSchema, facts.layout.filterType)
  private val meta = new GenericInternalRow(5)
  private val row = new JoinedRow
  private lazy val arrived = ArrivingRows.values(facts.schema)
  private var begun = false // a killed attempt may have made the file without getting to hold it
  private var file: Option[BaseFileWriter] = None
  private var rows, inserts, updates, deletes, movedIn, movedOut = 0L

  val newName: UTF8String = UTF8String.fromString(name)

  meta.update(0, UTF8String.fromString(facts.instant))
  meta.update(3, UTF8String.fromString(partition))
  meta.update(4, newName)

  def carry(old: OldRows): Unit = {
    if (keys.needsAllKeys) keys.add(old.key)
    open().write(old.row)
    rows += 1
  }

  def update(key: UTF8String, values: UnsafeRow): Unit = {
    if (keys.needsAllKeys) keys.add(key)
    write(key, values)
    updates += 1
  }

  def delete(): Unit = deletes += 1

  def moveOut(): Unit = {
    deletes += 1
    movedOut += 1
  }

  /** @param moved whether the row comes from another partition */
  def insert(key: UTF8String, values: UnsafeRow, moved: Boolean): Unit = {
    keys.add(key)
    write(key, values)
    inserts += 1
    if (moved) movedIn += 1
  }

  /** Takes in a row from `ArrivingRows`: new in the table, or moved from another partition. */
  def arrive(key: UTF8String, arrival: UnsafeRow): Unit =
    insert(key, arrived(arrival), ArrivingRows.isMove(arrival))

  /** Closes the file once this attempt may commit; deletes it where nothing changed. */
  def finish(): FileResult = {
    val changed = inserts + updates + deletes > 0
    if (changed) {
      open()
      attempt.checkMayCommit()
      file.foreach(_.close())
      storage.fsync(path)
      checkOpen()
    } else discard()
    val bytes = if (changed) storage.status(path).fold(0L)(_.length) else 0L
    FileResult(
      partition,
      bucket,
      fileId,
      if (changed) Some(name) else None,
      previous.map(_.instant),
      previous.map(_.fileName),
      rows,
      inserts,
      updates,
      deletes,
      movedIn,
      movedOut,
      bytes,
      partitionGroups
    )
  }

  /** The driver gives up a statement without waiting for its tasks; it may miss this file. */
  private def checkOpen(): Unit =
    if (!Transaction.isOpen(storage, basePath, facts.instant, facts.action)) {
      discard()
      throw HudiliteException(
        "HUDILITE_WRITE_ROLLED_BACK",
        "table" -> facts.tableName,
        "instant" -> facts.instant
      )
    }

  /** Deletes what this attempt wrote, finished or not. */
  def discard(): Unit = if (begun) {
    file.foreach(_.abandon())
    storage.delete(path)
    storage.delete(Markers.path(basePath, facts.instant, partition, name, marker))
    file = None
    begun = false
  }

  private def write(key: UTF8String, values: UnsafeRow): Unit = {
    meta.update(1, UTF8String.fromString(attempt.nextSequence(facts.instant)))
    meta.update(2, key)
    open().write(row(meta, values))
    rows += 1
  }

  private def open(): BaseFileWriter = file.getOrElse {
    attempt.checkAlive()
    storage.enter(basePath, partition)
    begun = true
    Markers.create(storage, basePath, facts.instant, partition, name, marker)
    val opened =
      new BaseFileWriter(path, conf, facts.fileSchema, facts.layout, () => keys.footer(rows))
    file = Some(opened)
    opened
  }
}
