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
  * While the table has buckets of two counts, the bucket is one of the lower count. A partition may
  * have its keys in several buckets of the higher one, each of which is merged alone.
  *
  * @param files      slices of the buckets
  * @param clauses    compiled over the columns that the first pass reads
  * @param rows       tagged source rows of the bucket in key order
  * @param bucket     number of the bucket
  * @param violations keys of the task that violate a rule of the statement
  */
final class CrossPartitionMerge(
    facts: MergeTaskFacts,
    files: FileGroupSlices,
    clauses: CompiledMergeClauses,
    openForMatch: BucketPlace => BaseFileRows,
    rows: ExternalAppendOnlyUnsafeRowArray,
    bucket: Int,
    violations: KeyViolations
) {
  private val matchedRows = new mutable.BitSet
  private val changed = mutable.Set.empty[BucketPlace]
  private val arrivals = new IncomingRows(facts.schema)
  private val joined = new JoinedRow

  /** Runs the first pass over all partitions, then adds what source rows without a match insert to
    * the arriving rows.
    */
  def findMatches(places: Seq[BucketPlace]): Unit = {
    places.foreach { place =>
      val old = openForMatch(place)
      try matchFileGroup(place, old)
      finally old.close()
    }
    insertUnmatched()
  }

  /** Runs the second pass over the buckets that change or receive rows, in the order of their
    * partitions. */
  def mergeChanged(merge: (BucketPlace, KeyOrderedRows, KeyOrderedRows) => Unit): Unit = {
    val waiting = mutable.PriorityQueue.from(changed)(BucketPlace.order.reverse)
    var next = least(waiting.headOption, arrivals.nextPlace)
    while (next.nonEmpty) {
      next.foreach { place =>
        if (waiting.headOption.contains(place)) waiting.dequeue()
        val source = rows.generateIterator().filter(row => mayBeIn(row, place))
        merge(place, KeyOrderedRows.ofTagged(source), arrivals.of(place))
      }
      next = least(waiting.headOption, arrivals.nextPlace)
    }
  }

  private def least(a: Option[BucketPlace], b: Option[BucketPlace]): Option[BucketPlace] =
    (a ++ b).minOption(BucketPlace.order)

  private def matchFileGroup(place: BucketPlace, old: BaseFileRows): Unit = {
    val source = rows.generateIterator().zipWithIndex
      .filter { case (row, _) => looksInto(row, place.partition) }
      .buffered
    while (old.hasRow) {
      while (source.hasNext && isBefore(source.head._1, old.key)) source.next()
      val isMatched =
        source.hasNext && TaggedRow.key(source.head._1) == old.key &&
          matchRow(place, old, source)
      if (!isMatched) note(place, old, old.row, clauses.notMatchedBySource): Unit
      old.advance()
    }
  }

  private def isBefore(row: UnsafeRow, key: UTF8String): Boolean =
    !TaggedRow.hasKey(row) || TaggedRow.key(row).compareTo(key) < 0

  /** Checks the source rows of an old row's key.
    * @return whether one matches */
  private def matchRow(
      place: BucketPlace,
      old: BaseFileRows,
      source: BufferedIterator[(UnsafeRow, Int)]
  ): Boolean = {
    var isMatched = false
    var fired = false
    while (source.hasNext && TaggedRow.key(source.head._1) == old.key) {
      val (row, ordinal) = source.head
      val pair = joined(old.row, row)
      if (clauses.isMatch(pair, place.partition)) {
        isMatched = true
        matchedRows += ordinal
        if (!fired) fired = note(place, old, pair, clauses.matched)
      }
      source.next()
    }
    isMatched
  }

  /** Whether a source row may match in a partition. One whose partition ON pins matches in no
    * other. */
  private def looksInto(row: UnsafeRow, partition: UTF8String): Boolean =
    !TaggedRow.isPinned(row) || TaggedRow.pinned(row) == partition

  /** Whether the key of a source row may be in a bucket. */
  private def mayBeIn(row: UnsafeRow, place: BucketPlace): Boolean =
    looksInto(row, place.partition) && (!files.areMixed || TaggedRow.hasKey(row) &&
      files.numberOf(place.partition, bucket, TaggedRow.key(row)) == place.number)

  private def placeOf(partition: UTF8String, key: UTF8String): BucketPlace =
    BucketPlace(partition, files.numberOf(partition, bucket, key))

  /** Records what a firing clause does to a row.
    * @return whether a clause fires */
  private def note(
      place: BucketPlace,
      old: BaseFileRows,
      row: InternalRow,
      program: CompiledClauses[OldRowClause]
  ): Boolean = {
    val clause = program.firing(row)
    if (clause.nonEmpty) changed += place
    clause match {
      case Some(update: CompiledUpdate) if clauses.movesPartition =>
        val values = update.values(row)
        val target = clauses.partitionOfUpdated(values)
        if (target != place.partition)
          arrivals.add(placeOf(target, old.key), old.key, moved = true, values)
      case _ => ()
    }
    clause.nonEmpty
  }

  private def insertUnmatched(): Unit = {
    val dropped = new DroppedKeys
    rows.generateIterator().zipWithIndex.foreach { case (row, ordinal) =>
      if (TaggedRow.hasKey(row) && !matchedRows(ordinal)) {
        clauses.notMatched.firing(row).foreach { insert =>
          val values = insert.values(row)
          val key = TaggedRow.key(row)
          val place = placeOf(clauses.partitionOf(values), key)
          if (clauses.mayDrop) dropped.check(place, key, insert.drops)
          if (!insert.drops) arrivals.add(place, key, moved = false, values)
        }
      }
    }
  }

  /** Check of keys with two rows in one partition, one of which is marked as deleted: which one counts is
    * not known. Two rows that both are inserted meet in their file group. */
  private final class DroppedKeys {
    private var key = UTF8String.EMPTY_UTF8
    private val seen, dropped = mutable.Set.empty[BucketPlace] // of the rows with this key

    /** Adds a row; the keys come in their order. */
    def check(place: BucketPlace, of: UTF8String, drops: Boolean): Unit = {
      if (of != key) {
        key = of.clone()
        seen.clear()
        dropped.clear()
      }
      if (dropped(place) || drops && seen(place))
        violations.add(KeyViolations.DuplicateKey, clauses.shownKey(key, place.partition))
      seen += place
      if (drops) dropped += place
    }
  }
}
