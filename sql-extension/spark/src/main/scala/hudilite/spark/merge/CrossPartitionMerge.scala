package hudilite.spark.merge

import scala.collection.{BufferedIterator, mutable}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeRow}
import org.apache.spark.sql.execution.ExternalAppendOnlyUnsafeRowArray
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.locate.TaggedRow

/** Merge of one bucket over all partitions, for a statement that may match or move rows across
  * partitions (task side).
  *
  * First pass: reads the columns that clauses need from each slice and finds which source rows
  * match anywhere, which file groups change and which rows arrive in which partition. Second pass:
  * merges each of those file groups like any other.
  *
  * @param clauses compiled over the columns that the first pass reads
  * @param rows    tagged source rows of the bucket in key order
  */
final class CrossPartitionMerge(
    facts: MergeTaskFacts,
    clauses: CompiledMergeClauses,
    openForMatch: (UTF8String, Int) => BaseFileRows,
    rows: ExternalAppendOnlyUnsafeRowArray
) {
  private val matchedRows = new mutable.BitSet
  private val changed = mutable.Set.empty[UTF8String]
  private val arrivals = new IncomingRows(facts.schema)
  private val joined = new JoinedRow

  /** Runs the first pass over all partitions, then adds what source rows without a match insert to
    * the arriving rows.
    */
  def findMatches(partitions: Seq[UTF8String], bucket: Int): Unit = {
    partitions.foreach { partition =>
      val old = openForMatch(partition, bucket)
      try matchFileGroup(partition, old)
      finally old.close()
    }
    insertUnmatched()
  }

  /** Runs the second pass over the partitions that change or receive rows, in the order of their
    * paths. */
  def mergeChanged(merge: (UTF8String, KeyOrderedRows, KeyOrderedRows) => Unit): Unit = {
    val waiting = mutable.PriorityQueue.from(changed)(Ordering.by[UTF8String, UTF8String](identity)(
      (a: UTF8String, b: UTF8String) => b.compareTo(a)
    ))
    var next = least(waiting.headOption, arrivals.nextPartition)
    while (next.nonEmpty) {
      next.foreach { partition =>
        if (waiting.headOption.contains(partition)) waiting.dequeue()
        val source = rows.generateIterator().filter(looksInto(_, partition))
        merge(partition, KeyOrderedRows.ofTagged(source), arrivals.of(partition))
      }
      next = least(waiting.headOption, arrivals.nextPartition)
    }
  }

  private def least(a: Option[UTF8String], b: Option[UTF8String]): Option[UTF8String] =
    (a ++ b).reduceOption((x, y) => if (x.compareTo(y) <= 0) x else y)

  private def matchFileGroup(partition: UTF8String, old: BaseFileRows): Unit = {
    val source = rows.generateIterator().zipWithIndex
      .filter { case (row, _) => looksInto(row, partition) }
      .buffered
    while (old.hasRow) {
      while (source.hasNext && isBefore(source.head._1, old.key)) source.next()
      val isMatched =
        source.hasNext && TaggedRow.key(source.head._1) == old.key &&
          matchRow(partition, old, source)
      if (!isMatched) note(partition, old, old.row, clauses.notMatchedBySource): Unit
      old.advance()
    }
  }

  private def isBefore(row: UnsafeRow, key: UTF8String): Boolean =
    !TaggedRow.hasKey(row) || TaggedRow.key(row).compareTo(key) < 0

  /** Checks the source rows of an old row's key.
    * @return whether one matches */
  private def matchRow(
      partition: UTF8String,
      old: BaseFileRows,
      source: BufferedIterator[(UnsafeRow, Int)]
  ): Boolean = {
    var isMatched = false
    var fired = false
    while (source.hasNext && TaggedRow.key(source.head._1) == old.key) {
      val (row, ordinal) = source.head
      val pair = joined(old.row, row)
      if (clauses.isMatch(pair, partition)) {
        isMatched = true
        matchedRows += ordinal
        if (!fired) fired = note(partition, old, pair, clauses.matched)
      }
      source.next()
    }
    isMatched
  }

  /** Whether a source row may match in a partition. One whose partition ON pins matches in no
    * other. */
  private def looksInto(row: UnsafeRow, partition: UTF8String): Boolean =
    !TaggedRow.isPinned(row) || TaggedRow.pinned(row) == partition

  /** Records what a firing clause does to a row.
    * @return whether a clause fires */
  private def note(
      partition: UTF8String,
      old: BaseFileRows,
      row: InternalRow,
      program: CompiledClauses[OldRowClause]
  ): Boolean = {
    val clause = program.firing(row)
    if (clause.nonEmpty) changed += partition
    clause match {
      case Some(update: CompiledUpdate) if clauses.movesPartition =>
        val values = update.values(row)
        val target = clauses.partitionOfUpdated(values)
        if (target != partition) arrivals.add(target, old.key, moved = true, values)
      case _ => ()
    }
    clause.nonEmpty
  }

  private def insertUnmatched(): Unit =
    rows.generateIterator().zipWithIndex.foreach { case (row, ordinal) =>
      if (TaggedRow.hasKey(row) && !matchedRows(ordinal)) {
        clauses.notMatched.firing(row).foreach { insert =>
          val values = insert.values(row)
          arrivals.add(clauses.partitionOf(values), TaggedRow.key(row), moved = false, values)
        }
      }
    }
}
