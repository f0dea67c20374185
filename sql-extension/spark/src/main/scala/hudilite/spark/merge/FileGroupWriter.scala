package hudilite.spark.merge

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  GenericInternalRow,
  JoinedRow,
  UnsafeRow
}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.io.Storage
import hudilite.spark.write.{BaseFileWriter, FooterKeys, NewDataFile, TaskAttempt}

/** Writer of the new base file of one file group, which also counts the changes of its rows (task
  * side).
  *
  * The file is created with the first row written to it, so a file group without rows to write
  * costs nothing. If no row was inserted, updated or deleted, the file is deleted again.
  *
  * @param previous            the base file that the new one replaces
  * @param road                how the old file's rows get into the new one
  * @param partitionFileGroups file groups that the partition has in the snapshot
  */
final class FileGroupWriter(
    facts: MergeTaskFacts,
    storage: Storage,
    conf: Configuration,
    attempt: TaskAttempt,
    partition: String,
    fileId: String,
    previous: Option[OldBaseFile],
    road: MergeMode,
    partitionFileGroups: Int
) {
  private val keys = new FooterKeys(
    previous.flatMap(_.footer.carried),
    facts.avroSchema,
    facts.layout.filterType
  )
  private val meta = new GenericInternalRow(5)
  private val row = new JoinedRow
  private lazy val arrived = IncomingRows.values(facts.schema)
  private val file = new NewDataFile(
    facts.write,
    storage,
    attempt,
    partition,
    fileId,
    isFirst = previous.isEmpty
  )(new BaseFileWriter(_, conf, facts.fileSchema, facts.layout, () => keys.footer(rows)))
  private var rows, inserts, updates, deletes, movedIn, movedOut = 0L

  val newName: UTF8String = UTF8String.fromString(file.name)

  private val groups = road match {
    case MergeMode.ByGroups(barrier) =>
      previous.map(new RowGroupMerge(facts, _, barrier, newName, () => file.writer))
    case _ => None
  }

  /** Whether the key of each old row that stays must be added, too. */
  val needsAllKeys: Boolean = keys.needsAllKeys

  meta.update(0, UTF8String.fromString(facts.write.instant))
  meta.update(3, UTF8String.fromString(partition))
  meta.update(4, newName)

  def carry(old: BaseFileRows): Unit = {
    if (needsAllKeys) keys.add(old.key)
    if (groups.isEmpty) {
      file.writer.write(old.row)
      rows += 1
    }
  }

  /** @param values all columns, or only those that UPDATE clauses change if the file is written row
    *               group by row group */
  def update(old: BaseFileRows, values: UnsafeRow): Unit = {
    if (needsAllKeys) keys.add(old.key)
    val sequence = nextSequence()
    groups match {
      case Some(of) => of.update(placeOf(old), sequence, values)
      case None =>
        file.writer.write(whole(sequence, old.key, values))
        rows += 1
    }
    updates += 1
  }

  def delete(old: BaseFileRows): Unit = {
    groups.foreach(_.delete(placeOf(old)))
    deletes += 1
  }

  def moveOut(old: BaseFileRows): Unit = {
    delete(old)
    movedOut += 1
  }

  /** @param old   positioned where the new row is inserted
    * @param moved whether the row comes from another partition */
  def insert(old: BaseFileRows, key: UTF8String, values: UnsafeRow, moved: Boolean): Unit = {
    keys.add(key)
    val row = whole(nextSequence(), key, values)
    groups match {
      case Some(of) => of.insert(placeOf(old), row)
      case None =>
        file.writer.write(row)
        rows += 1
    }
    inserts += 1
    if (moved) movedIn += 1
  }

  /** Inserts a row of [[IncomingRows]]: new in the table, or moved from another partition. */
  def arrive(old: BaseFileRows, key: UTF8String, arrival: UnsafeRow): Unit =
    insert(old, key, arrived(arrival), IncomingRows.isMove(arrival))

  /** Closes the file if rows have changed, else deletes it.
    * Errors: HUDILITE_WRITE_ROLLED_BACK. */
  def finish(): FileGroupResult =
    if (inserts + updates + deletes == 0) {
      discard()
      result(None, 0L, RowGroupCounts.none, None)
    } else {
      val writer = file.writer
      for (of <- groups; old <- previous) {
        of.finish()
        rows = old.rows + inserts - deletes
      }
      NewDataFile.seal(facts.write, storage, Seq(file.close()))
      val noCopy = groups.fold(road.barrier)(_.noCopy).map(_.word)
      result(Some(file.name), file.length, RowGroupCounts.of(writer), noCopy)
    }

  private def result(
      name: Option[String],
      bytes: Long,
      rowGroups: RowGroupCounts,
      noCopy: Option[String]
  ): FileGroupResult = FileGroupResult(
    partition,
    fileId,
    name,
    previous.map(_.slice.instant),
    previous.map(_.slice.fileName),
    rows,
    inserts,
    updates,
    deletes,
    movedIn,
    movedOut,
    bytes,
    partitionFileGroups,
    rowGroups,
    noCopy
  )

  /** Deletes what this attempt wrote, complete or not. */
  def discard(): Unit = file.discard()

  /** Function that deletes the finished file and keeps no buffer of it alive. */
  def undo: () => Unit = file.deletion

  private def placeOf(old: BaseFileRows): Long = old match {
    case rows: SeekableBaseFileRows => rows.position
    case _ => throw new IllegalStateException("INTERNAL: old rows that go one by one have no place")
  }

  private def nextSequence(): UTF8String =
    UTF8String.fromString(attempt.nextSequence(facts.write.instant))

  private def whole(sequence: UTF8String, key: UTF8String, values: UnsafeRow): InternalRow = {
    meta.update(1, sequence)
    meta.update(2, key)
    row(meta, values)
  }
}
