package hudilite.spark.merge

import scala.collection.mutable.ArrayBuffer
import scala.collection.{AbstractIterator, BufferedIterator, mutable}
import scala.util.Using

import org.apache.hadoop.fs.Path
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.io.{Closing, Storage}
import hudilite.spark.locate.TaggedRow
import hudilite.spark.write.{NoCopy, SpillableRows, TaskAttempt}
import hudilite.view.FileSlice

/** Merge of the file groups of one task, one after another (task side).
  *
  * Reads the old base files of the file groups and writes their new ones. A failed attempt deletes
  * what it wrote; files of a lost attempt are deleted before the commit.
  */
final class MergeTask(facts: MergeTaskFacts, context: TaskContext) {
  private val conf = facts.shared.value.conf.value
  private val storage = Storage.of(new Path(facts.write.basePath), conf)
  private val attempt = new TaskAttempt(context)
  private val files = new FileGroupSlices(facts)
  private val writers = new GroupWriters(facts, files)
  private val violations = new KeyViolations(facts.write.table)
  private lazy val clauses = clausesOver(facts.oldRow, allColumns)
  private lazy val matchClauses = clausesOver(facts.matchRow, allColumns)
  private lazy val updateClauses = CompiledMergeClauses.ofPatches(facts, attempt.partition)
  private lazy val changeClauses = clausesOver(facts.changeRow, allColumns)
  private val latest = LatestRowsByKey.of(facts)
  private lazy val blind = new BlindMerge(facts, attempt.partition)
  private lazy val ordering =
    facts.ordering.map(new OrderingOfRows(_, facts.target, facts.changeRow))
  private lazy val tally = new TaskReadCounter
  private val parts = ArrayBuffer.empty[MergePart]

  private def allColumns = facts.target.indices

  private def clausesOver(row: Seq[Attribute], updated: Seq[Int]) =
    new CompiledMergeClauses(facts, row, attempt.partition, updated)

  /** Merges tagged source rows, sorted by partition, bucket and key. A file group that is too large
    * for one task is left out and returned in parts.
    * @return a row of [[MergeResult.schema]] for each file group and each part, then one for the
    *         task */
  def run(rows: Iterator[UnsafeRow]): Iterator[InternalRow] = {
    val source = rows.buffered
    val results = Iterator
      .continually(source)
      .takeWhile(_.hasNext)
      .flatMap(mergeNext)
      .toVector
    violations.raise()
    MergeResult.rows(results, tally.counts, parts.toSeq, writers.samples).iterator
  }

  private def mergeNext(source: BufferedIterator[UnsafeRow]): Seq[FileGroupResult] = {
    val hasFileGroup = TaggedRow.hasFileGroup(source.head)
    val number = if (hasFileGroup) TaggedRow.fileGroup(source.head) else 0
    val partition =
      Option.when(TaggedRow.hasPartition(source.head))(TaggedRow.partition(source.head).clone())
    def isOfGroup(row: UnsafeRow): Boolean =
      TaggedRow.hasFileGroup(row) == hasFileGroup &&
        (!hasFileGroup || TaggedRow.fileGroup(row) == number) &&
        partition.forall(p => TaggedRow.hasPartition(row) && TaggedRow.partition(row) == p)
    val all = new AbstractIterator[UnsafeRow] {
      override def hasNext: Boolean = source.hasNext && isOfGroup(source.head)
      override def next(): UnsafeRow = {
        val row = source.next()
        tally.take(row)
        row
      }
    }
    val rows = latest.fold[Iterator[UnsafeRow]](all)(_(all))
    if (!hasFileGroup) refuseKeyless(rows)
    else if (facts.spansPartitions) mergeSpanning(number, rows)
    else {
      val place = partition.fold("")(_.toString)
      val found = partsOf(place, number)
      if (found.nonEmpty) {
        parts ++= found
        while (source.hasNext && isOfGroup(source.head)) source.next(): Unit
        Seq.empty
      } else {
        val keyed = KeyOrderedRows.ofTagged(rows)
        Seq(mergeInto(place, number, keyed, KeyOrderedRows.none, insertsInline = true))
      }
    }
  }

  /** Returns the parts in which a file group is merged; none if this task merges it. */
  private def partsOf(partition: String, number: Int): Seq[MergePart] =
    files.slice(partition, number)
      .filter(slice => slice.isOnlyBase && slice.length > facts.split.above && !mayAppend(slice))
      .fold(Seq.empty[MergePart]) { slice =>
        Using.resource(OldBaseFile.open(slice, conf)) { old =>
          val found = MergePart.of(old, number, attempt.partition, facts, conf)
          if (found.nonEmpty) tally.open(slice)
          found
        }
      }

  /** Fails for a row without a key that a clause would insert: with the error of the cast if a key
    * column cannot contain the source's number. Other rows without a key match nothing and are
    * ignored. */
  private def refuseKeyless(rows: Iterator[UnsafeRow]): Seq[FileGroupResult] = {
    rows.foreach { row =>
      clauses.notMatched.firing(row).foreach { insert =>
        insert.values(row): Unit
        throw clauses.keyFault(row)
      }
    }
    Seq.empty
  }

  private def unchanged(slice: FileSlice): FileGroupResult =
    FileGroupResult.unchanged(slice, files.count(slice.partition))

  private def mergeInto(
      partition: String,
      number: Int,
      rows: KeyOrderedRows,
      arrivals: KeyOrderedRows,
      insertsInline: Boolean
  ): FileGroupResult = {
    val slice = files.slice(partition, number)
    slice.filter(mayAppend) match {
      case None => mergeIntoBase(partition, number, rows, arrivals, insertsInline)
      case Some(of) =>
        val changes = tally.changes
        val source = KeyOrderedRows.held(rows, TaggedRow.KeyAt)
        val arriving = KeyOrderedRows.held(arrivals, IncomingRows.keyAt)
        def read() = {
          tally.resetChanges(changes)
          tally.open(of)
          appendTo(of, source(), arriving(), insertsInline).getOrElse {
            tally.resetChanges(changes)
            mergeIntoBase(partition, number, source(), arriving(), insertsInline)
          }
        }
        appendBlindly(of, source()) match {
          case Some(blind) => if (facts.isPreview) read().withLogOf(blind) else blind
          case None => read()
        }
    }
  }

  /** Merges into a new log file of a slice that is not read.
    * @return None if it must be read, or only a new base file can contain the changes */
  private def appendBlindly(slice: FileSlice, rows: KeyOrderedRows): Option[FileGroupResult] =
    if (!facts.isBlind || !BlindMerge.isPossible(slice) || !mayInsert(slice)) None
    else {
      val log = new NewLog(facts, storage, conf, attempt, slice, LogLimits.bytesLeft(slice))
      try
        for { counts <- blind.run(rows, log) if log.isAccepted } yield {
          tally.change(counts.upserts + counts.deletions)
          if (counts == BlindMerge.Counts(0, 0)) unchanged(slice)
          else FileGroupResult.blind(slice, files.count(slice.partition), counts,
            writers.toClose(log, slice).close(counts.upserts))
        }
      finally log.abandon()
    }

  private def mayAppend(slice: FileSlice): Boolean =
    facts.appends.exists(_.mayAppend(slice))

  /** Merges into a new log file of a slice.
    * @return None if only a new base file can contain the changes */
  private def appendTo(
      slice: FileSlice,
      rows: KeyOrderedRows,
      arrivals: KeyOrderedRows,
      insertsInline: Boolean
  ): Option[FileGroupResult] = {
    val log = new NewLog(facts, storage, conf, attempt, slice, LogLimits.bytesLeft(slice))
    try {
      val output = new ChangesMerge(log, ordering, mayInsert(slice))
      val out = writers.ofLog(slice, log, output)
      val merge = new FileGroupMerge(changeClauses, violations,
        UTF8String.fromString(slice.partition), insertsInline, tally)
      if (rows.hasRow || arrivals.hasRow || changes(slice))
        reading(rowsToChange(slice))(merge.pass(_, rows, arrivals, out))
      Option.when(log.isAccepted)(out.finish())
    } finally log.abandon()
  }

  /** Whether a log file may have inserted rows. By its ordering value, an inserted row could lose against
    * a row of the base that was deleted in an earlier log file.
    * Source: merge-on-read §4.4, §8.5. */
  private def mayInsert(slice: FileSlice): Boolean = facts.insertsIntoLogs &&
    (facts.ordering.isEmpty || !DeletionsInLogs.mayBe(slice, facts.target, storage, conf))

  /** Whether the rows of the base file are in the order of their keys. */
  private def isSorted(slice: FileSlice): Boolean = footerOf(slice).forall(_.sorted)

  /** Returns the footer of the base file, None for a slice of log files only. */
  private def footerOf(slice: FileSlice): Option[OldBaseFileFooter] =
    slice.withoutLogs.map(base => Using.resource(OldBaseFile.open(base, conf))(_.footer))

  /** Merges into a new base file. */
  private def mergeIntoBase(
      partition: String,
      number: Int,
      rows: KeyOrderedRows,
      arrivals: KeyOrderedRows,
      insertsInline: Boolean
  ): FileGroupResult = {
    val slice = files.slice(partition, number)
    slice.foreach(tally.open)
    val previous = slice.filter(_.isOnlyBase).map(OldBaseFile.open(_, conf))
    try {
      val fileId = files.fileId(partition, number)
      val withLogs = if (previous.isEmpty) slice.flatMap(footerOf) else None
      val keys = previous.fold(NewBaseFile.allKeys(facts, withLogs))(old =>
        NewBaseFile.keys(facts, old.footer)
      )
      val file =
        new NewBaseFile(facts, storage, conf, attempt, partition, fileId, slice.isEmpty, keys)
      def writer[R <: BaseFileRows](output: MergeOutput[R], skipping: Option[Long] = None) =
        writers.ofBase(partition, fileId, slice, file, output, skipping)
      def merge(of: CompiledMergeClauses) = new FileGroupMerge(of, violations,
        UTF8String.fromString(partition), insertsInline, tally)
      val isVisit = !rows.hasRow && !arrivals.hasRow
      def byRow(slice: FileSlice, barrier: NoCopy, sorted: Boolean) = {
        val out = writer(new RowByRowMerge(file, Some(barrier), facts.storesAll))
        if (!isVisit || changes(slice))
          reading(wholeRows(slice, sorted, file.name))(merge(clauses).pass(_, rows, arrivals, out))
        out.finish()
      }
      previous.map(MergeMode.of(_, facts.layout)) match {
        case None if slice.nonEmpty => byRow(slice.get, NoCopy.Logs, withLogs.forall(_.sorted))
        case None =>
          val out = writer(new RowByRowMerge(file, None, takesBatches = false))
          merge(clauses).pass(BaseFileRows.none, rows, arrivals, out)
          out.finish()
        case Some(MergeMode.RowByRow(old, barrier)) =>
          byRow(old.slice, barrier, old.footer.sorted)
        case Some(MergeMode.ByRowGroups(old, barrier)) =>
          val out = writer(new RowGroupMerge(facts, old, barrier, file), Some(old.rows))
          reading(SeekableBaseFileRows.of(facts, old, isVisit && !out.needsAllKeys, () => ()))(
            merge(updateClauses).seek(_, rows, arrivals, out)
          )
          out.finish()
      }
    } finally previous.foreach(_.close())
  }

  private def reading[R <: BaseFileRows](old: R)(merge: R => Unit): Unit =
    try merge(old)
    finally old.close()

  /** Opens all columns of a slice in the order of its keys. */
  private def wholeRows(slice: FileSlice, sorted: Boolean, newName: UTF8String): BaseFileRows =
    BaseFileRows.open(facts.factory, slice, facts.rowSchema, sorted, newName)

  /** Opens the columns on which changes depend in the order of the keys. */
  private def rowsToChange(slice: FileSlice): BaseFileRows =
    BaseFileRows.open(facts.changeFactory, slice, facts.changeSchema, isSorted(slice),
      UTF8String.fromString(slice.fileId))

  /** Whether a clause fires for a row of a slice without source rows. Reads only up to the first
    * such row, and only what Parquet's statistics do not exclude. The order of the rows does not
    * matter here. */
  private def changes(slice: FileSlice): Boolean = {
    val rows = BaseFileRows.inAnyOrder(facts.matchFactory, slice, facts.matchSchema,
      UTF8String.EMPTY_UTF8)
    val program = matchClauses.notMatchedBySource
    try {
      while (rows.hasRow && program.firing(rows.row).isEmpty) rows.advance()
      rows.hasRow
    } finally rows.close()
  }

  private def mergeSpanning(bucket: Int, rows: Iterator[UnsafeRow]): Seq[FileGroupResult] = {
    val held = SpillableRows.open()
    rows.foreach(held.add)
    val places = facts.partitions.getOrElse(Seq.empty).flatMap { partition =>
      val path = UTF8String.fromString(partition)
      files.below(partition, bucket).map(BucketPlace(path, _))
    }
    val merge =
      new CrossPartitionMerge(facts, files, matchClauses, openForMatch, held, bucket, violations)
    merge.findMatches(places)
    val merged = mutable.Set.empty[BucketPlace]
    val results = ArrayBuffer.empty[FileGroupResult]
    merge.mergeChanged { (place, source, arrivals) =>
      merged += place
      results +=
        mergeInto(place.partition.toString, place.number, source, arrivals, insertsInline = false)
    }
    held.clear()
    results.toSeq ++ places.filterNot(merged).flatMap(sliceAt).map(unchanged)
  }

  private def sliceAt(place: BucketPlace): Option[FileSlice] =
    files.slice(place.partition.toString, place.number)

  private def openForMatch(place: BucketPlace): BaseFileRows =
    sliceAt(place).fold(BaseFileRows.none) { slice =>
      tally.open(slice)
      if (slice.isOnlyBase) openBase(slice) else keysInOrder(slice, isSorted(slice))
    }

  /** Opens the columns of a slice that decide which rows match, in the order of its keys. */
  private def keysInOrder(slice: FileSlice, sorted: Boolean): BaseFileRows =
    BaseFileRows.open(facts.matchFactory, slice, facts.matchSchema, sorted,
      UTF8String.EMPTY_UTF8)

  private def openBase(slice: FileSlice): BaseFileRows = {
    val file = OldBaseFile.open(slice, conf)
    Closing.onFailure(file) {
      MergeMode.of(file, facts.layout) match {
        case MergeMode.ByRowGroups(old, _) =>
          // filters are empty if there is a source
          SeekableBaseFileRows.of(facts, old, isVisit = true, () => file.close())
        case MergeMode.RowByRow(_, _) =>
          file.close()
          keysInOrder(slice, file.footer.sorted)
      }
    }
  }
}
