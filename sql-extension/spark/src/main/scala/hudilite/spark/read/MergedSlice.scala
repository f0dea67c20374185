package hudilite.spark.read

import scala.collection.mutable
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{DeleteRecords, LogBlock}
import hudilite.view.AdmittedBlocks

/** Rows of a slice with log files, merged (task side). Data blocks that are not large are read once, and stay in memory from the moment
  * when their keys are read; others are read a second time.
  * @param of      readers of bases and blocks
  * @param blocks  blocks that apply, the oldest first
  * @param inOrder whether the rows of the base stay in their order */
private[read] final class MergedSlice(
    of: SliceLogs,
    part: SlicePart,
    blocks: Vector[AdmittedBlocks.InFile],
    inOrder: Boolean,
    conf: Configuration
) {
  import MergedSlice._
  import of._

  private val slice = part.slice
  private val numbers = KeyNumbers.of(key)
  private val fold = new LogFold(merging.rule, types)
  private var found = Array.emptyIntArray // numbers of the keys of a batch
  private val kept = mutable.Map.empty[Int, PartitionReader[ColumnarBatch]]
  private var values = 0L // of the blocks that are kept
  private val partialRows =
    Option.when(blocks.exists(_.block.isPartial))(
      new PartialRows(StructType(columns.take(wanted)))
    )
  val isFirst: Boolean = part.start == 0 // other parts do not return rows of log files

  /** Reader of the rows of the base. */
  val ofBase: PartitionReader[ColumnarBatch] = new SliceLogs.Whole(new InTurn(baseRows))

  /** Reader of the rows of the log files; it is used after that of the base, or, if that keeps the order of
    * its rows, before: then `isBeaten` tells which of its rows do not count. */
  val ofLogs: PartitionReader[ColumnarBatch] =
    new SliceLogs.Whole(new InTurn(blockRows), () => kept.values.foreach(_.close()))

  /** Whether the base has a row for a key of the log files that is in the place of theirs; known
    * when that row was read.
    * Errors: HUDILITE_CORRUPT_DATA_FILE if it has none, and they lack a column that must not be NULL. */
  def isBeaten(recordKey: UTF8String): Boolean =
    (fold.comparesValues || partialRows.nonEmpty) && numbers.find(recordKey.toString).exists {
      key =>
        val isBeaten = fold.isBeaten(key)
        if (!isBeaten) partialRows.foreach(_.check(fold.withoutBase(key)))
        isBeaten
    }

  /** Reads the keys of all blocks. */
  def addAll(): Unit = if (partialRows.isEmpty || isFirst) {
    val ends = blocks.map(_.block.buffer.remaining.toLong).scanLeft(0L)(_ + _)
    blocks.zipWithIndex.foreach { case (found, number) =>
      if (found.block.kind == LogBlock.delete) addDeletes(found)
      else if (found.block.isPartial) partialRows.foreach(addPartial(found, number, _))
      else if (!isFirst || ends(number + 1) > mostBytes) addLarge(found, number)
      else addSmall(found, number)
    }
    partialRows.foreach(_.retain(fold.partialRows))
  }

  private def addDeletes(found: AdmittedBlocks.InFile): Unit =
    DeleteRecords.read(found.block.buffer, found.file).foreach { record =>
      numbers.add(record.key).foreach(fold.delete(_, OrderingValues.of(record.ordering, types)))
    }

  private def addSmall(found: AdmittedBlocks.InFile, number: Int): Unit = {
    val opened = openRows(slice, found)
    if (opened.inOneBatch && values + opened.values <= mostValues) {
      values += opened.values
      kept(number) = opened.batches
      if (opened.batches.next()) addRows(opened.batches.get(), inRows, found, number, 0)
    } else {
      opened.batches.close()
      addLarge(found, number)
    }
  }

  private def addLarge(found: AdmittedBlocks.InFile, number: Int): Unit =
    Using.resource(openStates(slice, found))(SliceLogs.eachBatch(_) { (batch, first) =>
      addRows(batch, inStates, found, number, first)
    })

  private def addPartial(
      found: AdmittedBlocks.InFile,
      number: Int,
      copies: PartialRows
  ): Unit = Using.resource(openPartial(slice, found)) { reader =>
    copies.addBlock(number, found.file, partial.rows.stored(found, columns))
    SliceLogs.eachBatch(reader) { (batch, first) =>
      val keys = batch.column(inPartial.key)
      forEachRow(batch, inPartial, found) { (row, ordering) =>
        numbers.add(keys.getUTF8String(row).toString).foreach { ofRow =>
          if (inPartial.isDeleted(batch, row)) fold.addDeleted(ofRow, ordering)
          else {
            fold.add(ofRow, ordering, number, first + row, isPartial = true)
            copies.add(number, first + row, batch.getRow(row))
          }
        }
      }
    }
  }

  private def addRows(
      batch: ColumnarBatch,
      places: KeyedColumns,
      found: AdmittedBlocks.InFile,
      number: Int,
      first: Int
  ): Unit = {
    val keys = batch.column(places.key)
    forEachRow(batch, places, found) { (row, ordering) =>
      val ofRow = numbers.add(keys, row)
      if (places.isDeleted(batch, row)) fold.addDeleted(ofRow, ordering)
      else fold.add(ofRow, ordering, number, first + row)
    }
  }

  /** Calls a function with the indexes of all rows of a block's batch and their ordering values. */
  private def forEachRow(
      batch: ColumnarBatch,
      places: KeyedColumns,
      found: AdmittedBlocks.InFile
  )(add: (Int, Array[Any]) => Unit): Unit = {
    val values = new OrderingValues(batch, places.ordering, types)
    val keys = batch.column(places.key)
    (0 until batch.numRows).foreach { row =>
      if (keys.isNullAt(row)) throw SliceLogs.noKey(found)
      val ordering = if (fold.comparesValues) values.at(row) else LogMerging.noValues
      if (ordering.exists(Option(_).isEmpty))
        throw LogMerging.noOrdering(new Path(found.file), merging.fields)
      add(row, ordering)
    }
  }

  private def baseRows: Iterator[PartitionReader[ColumnarBatch]] =
    rowsOfBase.map { reader =>
      val left =
        new Remaining(reader, batch => superseded(batch, take(batch)), wanted, inOrder,
          partialRows)
      ofFile.zip(bytesOfBase).fold[PartitionReader[ColumnarBatch]](left) {
        case (column, bytes) => column.completed(bytes.file, isOfFile = true, left, conf)
      }
    }

  /** Opens a reader of the base. With partial updates, the first part has all rows. */
  private def rowsOfBase: Iterator[PartitionReader[ColumnarBatch]] =
    bytesOfBase.iterator.map(openBase(_, isWhole = partialRows.nonEmpty))

  private def bytesOfBase: Option[SlicePart] = {
    val read =
      if (partialRows.isEmpty) Some(part) else Option.when(isFirst)(SlicePart.whole(slice))
    read.flatMap(_.ofBase)
  }

  /** Writes the indexes of the rows of a base's batch that do not stay into an array.
    * @param leaves called with the number of the key and the index of each of them
    * @return their number */
  private def superseded(batch: ColumnarBatch, leaves: (Int, Int) => Unit)(
      gone: Array[Int]
  ): Int = {
    val rows = batch.numRows
    if (found.length < rows) found = new Array[Int](rows)
    val known = numbers.find(batch.column(inRows.key), rows, gone, found)
    val values = new OrderingValues(batch, inRows.ordering, types)
    var (i, count) = (0, 0)
    while (i < known) {
      val row = gone(i)
      if (!fold.staysInBase(found(i), values.at(row))) {
        gone(count) = row
        count += 1
        leaves(found(i), row)
      }
      i += 1
    }
    count
  }

  /** Puts a row of the base's batch together with partial updates of its key, if there are any. */
  private def take(batch: ColumnarBatch): (Int, Int) => Unit =
    partialRows.fold((_: Int, _: Int) => ()) { copies => (key, row) =>
      val layers = fold.takeBase(key)
      if (layers.nonEmpty) copies.take(row, layers, batch.getRow(row))
    }

  /** Opens readers of the rows of the log files. */
  private def blockRows: Iterator[PartitionReader[ColumnarBatch]] = {
    lazy val chosen = fold.rowsByBlock()
    // Comes first: rows that go leave the vectors of the blocks that are kept.
    partialRows.iterator.map { copies =>
      addWholeRows(copies)
      ofFile.fold(
        Iterator.single(copies.open(fold.partialRows.map(aloneIn(copies)), mostPartial))
      )(_ => partialRowsByFile(copies))
    }.flatten ++ blocks.indices.iterator.filter(chosen.contains(_)).map { number =>
      val ofBlock = new ChosenRows(chosen(number)) // counts the rows of all batches
      inFile(number, new Remaining(rowsOf(number), ofBlock.others(_), wanted))
    }
  }

  /** Returns a function that puts a row of blocks together. If the rows of the base are read later, they
    * may still come in its place. */
  private def aloneIn(copies: PartialRows): List[LogFold.Layer] => InternalRow =
    if (inOrder) copies.unchecked(_) else copies.of(_)

  /** Opens readers of the rows that partial updates give: a row is in the file of the newest one. */
  private def partialRowsByFile(copies: PartialRows): Iterator[PartitionReader[ColumnarBatch]] =
    fold.partialRows.toSeq.groupBy(_.head.block).toSeq.sortBy(_._1).iterator.map {
      case (number, rows) =>
        inFile(number, copies.open(rows.iterator.map(aloneIn(copies)), mostPartial))
    }

  /** Adds `_metadata` to rows of a block, if it is read. */
  private def inFile(
      number: Int,
      rows: PartitionReader[ColumnarBatch]
  ): PartitionReader[ColumnarBatch] =
    ofFile.zip(slice.logs.find(_.path.toString == blocks(number).file)).fold(rows) {
      case (column, log) =>
        column.completed(SlicePart.range(log, 0L, log.length), isOfFile = false, rows, conf)
    }

  private def rowsOf(number: Int): PartitionReader[ColumnarBatch] =
    kept.get(number).fold(openRows(slice, blocks(number)).batches)(new Read(_))

  /** Copies the rows with all columns over which partial ones win. */
  private def addWholeRows(copies: PartialRows): Unit =
    fold.wholeBelow().foreach { case (number, chosen) =>
      val needed = chosen.toSet
      copies.addBlock(number, blocks(number).file, columns.fields.map(_ => true))
      val reader = rowsOf(number)
      try SliceLogs.eachBatch(reader) { (batch, first) =>
          (0 until batch.numRows).filter(row => needed(first + row)).foreach { row =>
            copies.add(number, first + row, batch.getRow(row))
          }
        }
      finally if (!kept.contains(number)) reader.close()
    }
}

private object MergedSlice {

  /** Most bytes of log files, and most values in them, that stay in memory as vectors while a slice is read. */
  private final val mostBytes = 16L << 20
  private final val mostValues = 4L << 20

  /** Most rows of a batch of rows that are put together. */
  private final val mostPartial = 4096

  /** Reader whose first batch was read already, and is its only one. */
  private final class Read(reader: PartitionReader[ColumnarBatch])
      extends PartitionReader[ColumnarBatch] {
    private val batches = Iterator.single(reader.get())
    private var current = Option.empty[ColumnarBatch]
    override def next(): Boolean = {
      current = batches.nextOption()
      current.nonEmpty
    }
    override def get(): ColumnarBatch = current.getOrElse(throw new NoSuchElementException)
    override def close(): Unit = reader.close()
  }
}
