package hudilite.spark.exec

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
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

/** Writes the new base file of one file group and counts what happened to its rows (task side).
  *
  * The file is opened with the first row that it gets, so a group without rows to write costs nothing; a
  * file that turns out equal to the old one is deleted again.
  *
  * @param previous the file that the new one replaces
  * @param road     how the old file's rows get into the new one
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
    previous: Option[ReplacedFile],
    road: FileRoad,
    partitionGroups: Int
) {
  private val name = BaseFileName(fileId, attempt.writeToken, facts.instant).text
  private val basePath = new Path(facts.basePath)
  private val path = Storage.resolve(Storage.resolve(basePath, partition), name)
  private val marker = if (previous.isEmpty) Markers.Create else Markers.Merge
  private val keys = new FooterKeys(
    previous.flatMap(_.footer.carried),
    facts.avroSchema,
    facts.layout.filterType
  )
  private val meta = new GenericInternalRow(5)
  private val row = new JoinedRow
  private lazy val arrived = ArrivingRows.values(facts.schema)
  private var begun = false // a killed attempt may have made the file without getting to hold it
  private var file: Option[BaseFileWriter] = None
  private var rows, inserts, updates, deletes, movedIn, movedOut = 0L

  val newName: UTF8String = UTF8String.fromString(name)

  private val groups = road match {
    case FileRoad.ByGroups(barrier) =>
      previous.map(new RowGroupWriter(facts, _, barrier, newName, () => open()))
    case _ => None
  }

  /** Whether each old key that stays must be told. */
  val needsAllKeys: Boolean = keys.needsAllKeys

  meta.update(0, UTF8String.fromString(facts.instant))
  meta.update(3, UTF8String.fromString(partition))
  meta.update(4, newName)

  def carry(old: OldRows): Unit = {
    if (needsAllKeys) keys.add(old.key)
    if (groups.isEmpty) {
      open().write(old.row)
      rows += 1
    }
  }

  /** @param values of all columns, or of those that UPDATE clauses change where the road goes by row groups */
  def update(old: OldRows, values: UnsafeRow): Unit = {
    if (needsAllKeys) keys.add(old.key)
    val sequence = nextSequence()
    groups match {
      case Some(of) => of.update(placeOf(old), sequence, values)
      case None =>
        open().write(whole(sequence, old.key, values))
        rows += 1
    }
    updates += 1
  }

  def delete(old: OldRows): Unit = {
    groups.foreach(_.delete(placeOf(old)))
    deletes += 1
  }

  def moveOut(old: OldRows): Unit = {
    delete(old)
    movedOut += 1
  }

  /** @param old   stands where the row comes
    * @param moved whether it comes from another partition */
  def insert(old: OldRows, key: UTF8String, values: UnsafeRow, moved: Boolean): Unit = {
    keys.add(key)
    val row = whole(nextSequence(), key, values)
    groups match {
      case Some(of) => of.insert(placeOf(old), row)
      case None =>
        open().write(row)
        rows += 1
    }
    inserts += 1
    if (moved) movedIn += 1
  }

  /** Takes in a row from `ArrivingRows`: new in the table, or moved from another partition. */
  def arrive(old: OldRows, key: UTF8String, arrival: UnsafeRow): Unit =
    insert(old, key, arrived(arrival), ArrivingRows.isMove(arrival))

  /** Closes the file once this attempt may commit; deletes it where nothing changed. */
  def finish(): FileResult = {
    val changed = inserts + updates + deletes > 0
    if (changed) {
      open()
      for (of <- groups; old <- previous) {
        of.finish()
        rows = old.rows + inserts - deletes
      }
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
      previous.map(_.slice.instant),
      previous.map(_.slice.fileName),
      rows,
      inserts,
      updates,
      deletes,
      movedIn,
      movedOut,
      bytes,
      partitionGroups,
      file.fold(RowGroupCounts.none)(RowGroupCounts.of),
      if (changed) groups.fold(road.barrier)(_.noCopy).map(_.word) else None
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

  /** Deletes a finished file; holds on to nothing of what made it. */
  def undo: () => Unit = FileGroupWriter.deletion(
    storage,
    if (begun) Seq(path, Markers.path(basePath, facts.instant, partition, name, marker)) else Nil
  )

  private def placeOf(old: OldRows): Long = old match {
    case rows: GroupedRows => rows.position
    case _ => throw new IllegalStateException("INTERNAL: old rows that go one by one have no place")
  }

  private def nextSequence(): UTF8String =
    UTF8String.fromString(attempt.nextSequence(facts.instant))

  private def whole(sequence: UTF8String, key: UTF8String, values: UnsafeRow): InternalRow = {
    meta.update(1, sequence)
    meta.update(2, key)
    row(meta, values)
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

private object FileGroupWriter {
  private def deletion(storage: Storage, paths: Seq[Path]): () => Unit =
    () => paths.foreach(storage.delete(_))
}
