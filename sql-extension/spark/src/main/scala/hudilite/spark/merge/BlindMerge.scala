package hudilite.spark.merge

import scala.util.control.NonFatal

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
  private lazy val written = {
    val fields = facts.ordering.toSeq.flatten
    UnsafeProjection.create(fields.map(name => facts.target.find(_.name == name).get), facts.target)
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
    evaluated(rows.row).map {
      case NoChange => before
      case Deletion =>
        log.delete(rows.key)
        before.copy(deletions = before.deletions + 1)
      case Upsert(values) =>
        log.write(log.rows.row(rows.key, values))
        before.copy(upserts = before.upserts + 1)
    }

  /** Returns the outcome of a source row; None if it depends on the table's row, or if an expression
    * fails, which may be one that does not apply to the row. */
  private def evaluated(row: UnsafeRow): Option[Outcome] =
    try outcome(row)
    catch { case NonFatal(_) => None }

  private def outcome(row: UnsafeRow): Option[Outcome] =
    (matched.firing(row), notMatched.firing(row)) match {
      case (None, None) => Some(NoChange)
      case _ if ordering.exists(_(row).anyNull) => None
      case (None, Some(insert)) if insert.drops => Some(NoChange)
      case (Some(delete: CompiledDelete), insert)
          if insert.forall(_.drops) && !delete.isMove && ordering.isEmpty =>
        Some(Deletion)
      case (Some(update: CompiledUpdate), Some(insert)) if !insert.isMove && !insert.drops =>
        val values = update.values(row)
        Option.when(values == insert.values(row) && hasOrderOf(row, values))(Upsert(values))
      case _ => None
    }

  /** Whether a row to write has the ordering values of its source row: readers compare those that are
    * written, the statement compares those of the source. */
  private def hasOrderOf(row: UnsafeRow, values: UnsafeRow): Boolean =
    ordering.forall(of => of(row) == written(values))
}

object BlindMerge {

  /** What becomes of the key of a source row, whether the table has a row of it or not. */
  private sealed trait Outcome
  private case object NoChange extends Outcome
  private case object Deletion extends Outcome
  private final case class Upsert(values: UnsafeRow) extends Outcome

  /** Numbers of changes.
    * @param upserts   rows that were inserted or updated; which one is not known
    * @param deletions keys whose rows are deleted if there are any */
  final case class Counts(upserts: Long, deletions: Long)

  /** Whether keys determine the rows of a slice. ON also compares partition values in the folder that
    * NULL and the empty text share. */
  def isPossible(slice: FileSlice): Boolean =
    !slice.partition.contains(PartitionPath.DefaultValue)
}
