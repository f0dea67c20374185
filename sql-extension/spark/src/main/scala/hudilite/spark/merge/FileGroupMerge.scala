package hudilite.spark.merge

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeRow}
import org.apache.spark.unsafe.types.UTF8String

/** Merge of one file group: old rows, source rows and arriving rows, all in key order (task side).
  *
  * One pass over three sorted streams. A row that no clause changes is passed to the writer as it
  * is; a writer that works by row groups skips it and copies it later.
  *
  * @param partition     partition path of the file group
  * @param insertsInline true if a source row that matches nothing is inserted into this file group;
  *                      false if `arrivals` contains all rows that are new here
  * @param tally         counts the source rows that change something
  */
final class FileGroupMerge(
    clauses: CompiledMergeClauses,
    violations: KeyViolations,
    partition: UTF8String,
    insertsInline: Boolean,
    tally: TaskReadCounter
) {
  private val joined = new JoinedRow

  /** Merges old rows that can be skipped: looks only at those whose key is in the source or among
    * the arriving rows, unless the others are needed, too.
    *
    * @param source   tagged source rows that may match in this file group
    * @param arrivals rows that are new to this partition: key, then values
    */
  def seek(
      old: SeekableBaseFileRows,
      source: KeyOrderedRows,
      arrivals: KeyOrderedRows,
      out: FileGroupWriter[SeekableBaseFileRows]
  ): Unit =
    if (clauses.notMatchedBySource.isEmpty && !out.needsAllKeys)
      while (source.hasRow || arrivals.hasRow) {
        val key = least(None, source, arrivals)
        old.seek(key)
        if (old.isAt(key)) mergeOld(key, old, source, arrivals, out)
        else insertNew(key, old, source, arrivals, out)
      }
    else pass(old, source, arrivals, out)

  /** Merges old rows and looks at every one; parameters as of [[seek]]. */
  def pass[R <: BaseFileRows](
      old: R,
      source: KeyOrderedRows,
      arrivals: KeyOrderedRows,
      out: FileGroupWriter[R]
  ): Unit =
    while (old.hasRow || source.hasRow || arrivals.hasRow)
      if (old.hasRow && precedes(old.key, source) && precedes(old.key, arrivals)) {
        applyTo(old.row, old, clauses.notMatchedBySource, out)
        old.advance()
      } else {
        val key = least(if (old.hasRow) Some(old.key) else None, source, arrivals)
        if (old.hasRow && old.key == key) mergeOld(key, old, source, arrivals, out)
        else insertNew(key, old, source, arrivals, out)
      }

  private def precedes(key: UTF8String, rows: KeyOrderedRows): Boolean =
    !rows.hasRow || key.compareTo(rows.key) < 0

  private def least(
      old: Option[UTF8String],
      source: KeyOrderedRows,
      arrivals: KeyOrderedRows
  ): UTF8String = {
    var key = old
    if (source.hasRow && key.forall(source.key.compareTo(_) < 0)) key = Some(source.key)
    if (arrivals.hasRow && key.forall(arrivals.key.compareTo(_) < 0)) key = Some(arrivals.key)
    key.map(_.clone()).getOrElse(UTF8String.EMPTY_UTF8)
  }

  private def mergeOld[R <: BaseFileRows](
      key: UTF8String,
      old: R,
      source: KeyOrderedRows,
      arrivals: KeyOrderedRows,
      out: FileGroupWriter[R]
  ): Unit = {
    var stays =
      if (source.hasRow && source.key == key) mergeMatched(key, old, source, out)
      else applyTo(old.row, old, clauses.notMatchedBySource, out)
    while (arrivals.hasRow && arrivals.key == key) {
      if (stays) addDuplicate(key) else arrive(old, key, arrivals.row, out)
      stays = true
      arrivals.advance()
    }
    old.advance()
  }

  /** Applies the matched clauses, then inserts the source row of this key that matched nothing.
    *
    * @return whether a row of the key remains: in this file group, or in the whole table if a key
    *         may have only one row there
    */
  private def mergeMatched[R <: BaseFileRows](
      key: UTF8String,
      old: R,
      source: KeyOrderedRows,
      out: FileGroupWriter[R]
  ): Boolean = {
    var isMatched = false
    var fired = 0
    var stays = true
    var inserted = Option.empty[(Option[UnsafeRow], Boolean)]
    while (source.hasRow && source.key == key) {
      val row = joined(old.row, source.row)
      if (clauses.isMatch(row, partition)) {
        isMatched = true
        val clause = clauses.matched.firing(row)
        if (clause.nonEmpty) {
          fired += 1
          if (fired == 1) {
            tally.change()
            stays = applyClause(clause.get, row, old, out)
          } else if (!clauses.deletesMatches) violations.add(clauses.repeated, key)
        }
        if (clauses.matchIsError) addDuplicate(key)
      } else inserted = newRow(source.row, inserted, key).orElse(inserted)
      source.advance()
    }
    if (!isMatched) stays = applyTo(old.row, old, clauses.notMatchedBySource, out)
    else if (fired == 0) out.carry(old)
    for ((values, moved) <- inserted; row <- values)
      if (stays) addDuplicate(key) else insert(old, key, row, moved, out)
    stays || inserted.exists(_._1.nonEmpty)
  }

  private def applyTo[R <: BaseFileRows](
      row: InternalRow,
      old: R,
      program: CompiledClauses[OldRowClause],
      out: FileGroupWriter[R]
  ): Boolean = {
    val clause = program.firing(row)
    if (clause.isEmpty) {
      out.carry(old)
      true
    } else applyClause(clause.get, row, old, out)
  }

  private def applyClause[R <: BaseFileRows](
      clause: OldRowClause,
      row: InternalRow,
      old: R,
      out: FileGroupWriter[R]
  ): Boolean = clause match {
    case delete: CompiledDelete =>
      if (delete.isMove) out.moveOut(old) else out.delete(old)
      delete.isMove && clauses.seeksEverywhere
    case update: CompiledUpdate =>
      val values = update.values(row)
      if (clauses.movesPartition && clauses.partitionOfUpdated(values) != partition) {
        out.moveOut(old)
        false
      } else {
        out.update(old, values)
        true
      }
  }

  /** Returns the values that a source row without a match inserts into this file group, none for one
    * that is marked as deleted, and whether they come from another partition; None if no clause fires. */
  private def newRow(
      row: UnsafeRow,
      before: Option[(Option[UnsafeRow], Boolean)],
      key: UTF8String
  ) = {
    val clause = if (insertsInline) clauses.notMatched.firing(row) else None
    clause.map { insert =>
      val values = Option.unless(insert.drops)(insert.values(row).copy())
      if (before.nonEmpty || values.exists(clauses.isBarred(_, partition)))
        addDuplicate(key, before.exists(_._2) && insert.isMove)
      (values, insert.isMove)
    }
  }

  /** Reports a key that gets two rows.
    *
    * @param isOneRow whether both are moves from another partition. If a key has only one row in
    *                 the whole table, they are the same old row moved here twice. Otherwise they
    *                 may be two rows of two partitions. */
  private def addDuplicate(key: UTF8String, isOneRow: Boolean = false): Unit =
    if (isOneRow && clauses.seeksEverywhere) violations.add(clauses.repeated, key)
    else violations.add(KeyViolations.DuplicateKey, clauses.shownKey(key, partition))

  private def insertNew[R <: BaseFileRows](
      key: UTF8String,
      old: R,
      source: KeyOrderedRows,
      arrivals: KeyOrderedRows,
      out: FileGroupWriter[R]
  ): Unit = {
    var present = false
    var moved = false
    while (source.hasRow && source.key == key) {
      if (insertsInline) {
        val clause = clauses.notMatched.firing(source.row)
        if (clause.nonEmpty) {
          val moves = clause.get.isMove
          if (present) addDuplicate(key, moved && moves)
          else if (!clause.get.drops) {
            val values = clause.get.values(source.row)
            if (clauses.isBarred(values, partition)) addDuplicate(key)
            else insert(old, key, values, moves, out)
          }
          present = true
          moved = moves
        }
      }
      source.advance()
    }
    while (arrivals.hasRow && arrivals.key == key) {
      if (present) addDuplicate(key) else arrive(old, key, arrivals.row, out)
      present = true
      arrivals.advance()
    }
  }

  private def insert[R <: BaseFileRows](
      old: R,
      key: UTF8String,
      values: UnsafeRow,
      moved: Boolean,
      out: FileGroupWriter[R]
  ): Unit = {
    tally.change()
    out.insert(old, key, values, moved)
  }

  /** Writes an arriving row. A moved row was counted where it left. */
  private def arrive[R <: BaseFileRows](
      old: R,
      key: UTF8String,
      arrival: UnsafeRow,
      out: FileGroupWriter[R]
  ): Unit = {
    if (!IncomingRows.isMove(arrival)) tally.change()
    out.arrive(old, key, arrival)
  }
}
