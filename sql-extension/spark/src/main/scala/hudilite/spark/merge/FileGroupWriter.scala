package hudilite.spark.merge

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.read.ChangedRows
import hudilite.view.FileSlice

/** Writer of the merged rows of one file group, which also counts their changes (task side). If no
  * row was inserted, updated or deleted, the new file is deleted again.
  *
  * @param previous            file slice that the new file replaces, or belongs to
  * @param output              writes the rows to the new file
  * @param partitionFileGroups file groups that the partition has in the snapshot
  * @param sample              receives the changed rows, if a preview asks for some
  */
final class FileGroupWriter[R <: BaseFileRows](
    facts: MergeTaskFacts,
    partition: String,
    fileId: String,
    previous: Option[FileSlice],
    file: NewGroupFile,
    output: MergeOutput[R],
    partitionFileGroups: Int,
    sample: Option[GroupSample] = None
) {
  private lazy val arrived = IncomingRows.values(facts.schema)
  private var inserts, updates, deletes, movedIn, movedOut, replaced = 0L
  private var lastDeleted = Option.empty[UTF8String]

  /** Whether the key of each old row that stays must be added, too. */
  val needsAllKeys: Boolean = file.needsAllKeys

  def carry(old: R): Unit = {
    if (needsAllKeys) file.addKey(old.key)
    output.carry(old)
  }

  /** @param values those that the compiled UPDATE clauses return */
  def update(old: R, values: UnsafeRow): Unit = {
    if (needsAllKeys) file.addKey(old.key)
    sample.foreach { of =>
      of.add(ChangedRows.Before, old)
      of.add(ChangedRows.After, old.key, values)
    }
    output.update(old, values)
    updates += 1
  }

  def delete(old: R): Unit = remove(old, ChangedRows.Delete)

  def moveOut(old: R): Unit = {
    remove(old, ChangedRows.Before)
    movedOut += 1
  }

  private def remove(old: R, kind: String): Unit = {
    sample.foreach(_.add(kind, old))
    output.delete(old)
    deletes += 1
    lastDeleted = Some(old.key.clone())
  }

  /** @param old   positioned where the new row is inserted
    * @param moved whether the row had another key or comes from another partition */
  def insert(old: R, key: UTF8String, values: UnsafeRow, moved: Boolean): Unit = {
    val stored = file.rows.storedKey(key)
    file.addKey(stored)
    sample.foreach(_.add(if (moved) ChangedRows.After else ChangedRows.Insert, key, values))
    output.insert(old, stored, values)
    inserts += 1
    if (moved) movedIn += 1
    if (lastDeleted.contains(key)) replaced += 1
  }

  /** Inserts a row of [[IncomingRows]]: new in the table, or moved from another partition. */
  def arrive(old: R, key: UTF8String, arrival: UnsafeRow): Unit =
    insert(old, key, arrived(arrival), IncomingRows.isMove(arrival))

  /** Closes the file if rows have changed, else deletes it.
    * Errors: HUDILITE_WRITE_ROLLED_BACK. */
  def finish(): FileGroupResult =
    if (inserts + updates + deletes == 0) {
      file.abandon()
      result(None, 0L, None)
    } else {
      sample.foreach(_.finish())
      val rows = output.finish()
      val noCopy = output.noCopy.map(_.word)
      result(Some(file.close(rows)), rows, noCopy)
    }

  private def result(
      closed: Option[NewGroupFile.Closed],
      rows: Long,
      noCopy: Option[String]
  ): FileGroupResult = FileGroupResult(
    partition,
    fileId,
    closed.map(_.name),
    closed.flatMap(_.log).map(_._1).orElse(previous.map(_.instant)),
    previous.flatMap(_.baseName),
    rows,
    inserts,
    updates,
    deletes,
    movedIn,
    movedOut,
    closed.fold(0L)(_.length),
    partitionFileGroups,
    closed.fold(RowGroupCounts.none)(_.rowGroups),
    noCopy,
    closed.flatMap(_.log).map(_._2),
    replaced = replaced
  )
}
