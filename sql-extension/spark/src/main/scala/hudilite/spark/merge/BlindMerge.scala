package hudilite.spark.merge

import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.PartitionPath
import hudilite.spark.plan.OrderingFields
import hudilite.view.FileSlice

/** Merge of source rows into a new log file of a slice, whose rows are not read (task side). A source row
  * becomes a row or a deletion of its key, if it does so whether the table has a row of the key or not.
  * With ordering fields, readers choose between the row and that of the table as the statement would;
  * a deletion has no ordering value, so the slice must be read.
  * Source: merge-on-read §8.3. */
final class BlindMerge(facts: MergeTaskFacts, taskPartition: Int) {
  import BlindMerge._

  private val matched = CompiledClauses.ofOldRows(facts.spec.matched, facts.source, taskPartition,
    facts.target.indices)
  private val notMatched =
    CompiledClauses.ofSourceRows(facts.spec.notMatched, facts.source, taskPartition)
  private val ordering = facts.spec.ordering.map { value =>
    UnsafeProjection.create(OrderingFields.of(value), facts.source)
  }

  /** Merges the rows, which are in the order of their keys.
    * @return None if the slice must be read: a row's outcome depends on that of the table, or two rows
    *         have one key */
  def run(rows: KeyOrderedRows, log: NewLog): Option[Counts] = {
    var counts = Option(Counts(0, 0))
    var last = Option.empty[UTF8String]
    while (counts.nonEmpty && rows.hasRow) {
      counts = if (last.contains(rows.key)) None else counts.flatMap(merged(_, rows, log))
      last = Some(rows.key.clone())
      rows.advance()
    }
    counts
  }

  private def merged(before: Counts, rows: KeyOrderedRows, log: NewLog): Option[Counts] =
    (matched.firing(rows.row), notMatched.firing(rows.row)) match {
      case (None, None) => Some(before)
      case _ if ordering.exists(_(rows.row).anyNull) => None
      case (Some(delete: CompiledDelete), None) if !delete.isMove && ordering.isEmpty =>
        log.delete(rows.key)
        Some(before.copy(deletions = before.deletions + 1))
      case (Some(update: CompiledUpdate), Some(insert)) if !insert.isMove =>
        written(update.values(rows.row), insert.values(rows.row), rows.key, log)
          .map(_ => before.copy(upserts = before.upserts + 1))
      case _ => None
    }

  /** Writes the row of a key if an UPDATE and an INSERT give the same one. */
  private def written(
      updated: UnsafeRow,
      inserted: UnsafeRow,
      key: UTF8String,
      log: NewLog
  ): Option[Unit] = Option.when(updated == inserted) {
    log.write(log.rows.row(log.rows.nextSequence(), key, updated))
  }
}

object BlindMerge {

  /** Numbers of changes.
    * @param upserts   rows that were inserted or updated; which one is not known
    * @param deletions keys whose rows are deleted if there are any */
  final case class Counts(upserts: Long, deletions: Long)

  /** Whether keys determine the rows of a slice. ON also compares partition values in the folder that
    * NULL and the empty text share. */
  def isPossible(slice: FileSlice): Boolean =
    !slice.partition.contains(PartitionPath.DefaultValue)
}
