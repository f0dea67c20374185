package hudilite.spark.read

import scala.collection.mutable
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{DeleteRecords, LogBlock, LogFileBlocks, MergeOrder, MetaFields}
import hudilite.io.{Closing, Storage}
import hudilite.view.{AdmittedBlocks, FileSlice, LogFile, SnapshotView}

/** Vectorized reader of file slices with log files (task side): rows of the base stay in their vectors,
  * less those that the log files change or delete, then come the rows of the log files.
  * @param merging rule and ordering fields by which rows are compared
  * @param view    commits whose blocks count
  * @param columns columns that `base` and `rows` read: those that are returned, then others
  * @param wanted  number of columns that are returned
  * @param base    reader of bases; skips rows by all filters in commit time, by those on the key in event time
  * @param rows    reader of data blocks
  * @param states  reader of `keyed` of data blocks
  * @param keyed   key column, ordering fields and `_hoodie_is_deleted` if the table has it
  * @param partial readers for slices that have rows with only some columns
  * @param ofFile  Spark's column `_metadata`, if it is read
  * Source: merge-on-read §4, §8.9. */
private[read] final class SliceLogs(
    merging: LogMerging,
    view: SnapshotView,
    columns: StructType,
    wanted: Int,
    base: SliceReaderFactory,
    rows: LogBlockReader,
    states: LogBlockReader,
    keyed: StructType,
    partial: PartialReaders,
    ofFile: Option[FileColumn]
) extends Serializable {
  private val key = keyed(merging.key).dataType
  private val types = merging.fields.map(name => keyed(name).dataType)
  private val inRows = new KeyedColumns(merging, columns)
  private val inStates = new KeyedColumns(merging, keyed)
  private val ofPartial = LogMerging.ofPartial(columns)
  private val inPartial = new KeyedColumns(merging.copy(key = MetaFields.RecordKey), ofPartial)

  /** Opens a reader of the rows of a part of a slice. Parts may be smaller than the slice in commit time
    * only.
    * Errors: those of [[SliceReaderFactory]] and [[LogFileBlocks]]; HUDILITE_UNSUPPORTED_TABLE. */
  def open(part: SlicePart, conf: Configuration): PartitionReader[ColumnarBatch] = {
    val merged = read(part, conf, inOrder = false)
    val readers = merged.ofBase +: Option.when(merged.isFirst)(merged.ofLogs).toSeq
    new SliceLogs.Whole(new InTurn(readers.iterator), () => merged.ofLogs.close())
  }

  /** Opens readers of all rows of a slice, see [[SliceReaderFactory.openApart]]. */
  def openApart(slice: FileSlice, conf: Configuration): RowsApart = {
    val merged = read(SlicePart.whole(slice), conf, inOrder = true)
    Closing.onFailure(merged.ofLogs)(merged.meetBase())
    RowsApart(merged.ofBase, merged.ofLogs, merged.isBeaten)
  }

  private def read(part: SlicePart, conf: Configuration, inOrder: Boolean): Merged = {
    val slice = part.slice
    val storage = Storage.of(slice.logs.head.path, conf)
    val read = slice.logs.flatMap { log =>
      blocksOf(log, storage.readListed(log.path, log.length, Storage.maxArrayBytes))
    }
    val blocks = AdmittedBlocks.of(read, view.isCommitted)
    val merged = new Merged(part, blocks, inOrder, conf)
    Closing.onFailure(merged.ofLogs)(merged.addAll())
    merged
  }

  /** Opens a reader of all rows of a data block: the columns that are returned, then others. Columns that a
    * partial update did not write are NULL. */
  def openBlock(
      slice: FileSlice,
      found: AdmittedBlocks.InFile
  ): PartitionReader[ColumnarBatch] =
    (if (found.block.isPartial) partial.rows else rows).open(slice, found).batches

  /** Reads the blocks of a log file. A part of a block is passed over only if a writer that died may
    * have left it. */
  private def blocksOf(log: LogFile, bytes: Array[Byte]): Vector[AdmittedBlocks.InFile] = {
    val path = log.path.toString
    val read = LogFileBlocks.read(bytes, path)
    log.lost(read, view.isCommitted).foreach { torn =>
      throw LogFileBlocks.corrupt(path, s"${torn.reason}, at byte ${torn.offset}")
    }
    read.blocks.map(AdmittedBlocks.InFile(path, _))
  }

  /** Rows of a slice. Data blocks that are not large are read once, and stay in memory from the moment
    * when their keys are read; others are read a second time.
    * @param blocks  blocks that apply, the oldest first
    * @param inOrder whether the rows of the base stay in their order */
  private final class Merged(
      part: SlicePart,
      blocks: Vector[AdmittedBlocks.InFile],
      inOrder: Boolean,
      conf: Configuration
  ) {
    private val slice = part.slice
    private val numbers = KeyNumbers.of(key)
    private val fold = new LogFold(merging.rule, types)
    private val kept = mutable.Map.empty[Int, PartitionReader[ColumnarBatch]]
    private var values = 0L // of the blocks that are kept
    private val partialRows =
      Option.when(blocks.exists(_.block.isPartial))(
        new PartialRows(StructType(columns.take(wanted)))
      )
    val isFirst: Boolean = part.start == 0 // other parts do not return rows of log files

    /** Reader of the rows of the base. */
    val ofBase: PartitionReader[ColumnarBatch] = new SliceLogs.Whole(new InTurn(baseRows))

    /** Reader of the rows of the log files; it is used after that of the base, or `isBeaten` tells
      * which of its rows do not count. */
    val ofLogs: PartitionReader[ColumnarBatch] =
      new SliceLogs.Whole(new InTurn(blockRows), () => kept.values.foreach(_.close()))

    /** Whether the base has a row for a key of the log files that is in the place of theirs; known
      * when that row was read. */
    def isBeaten(recordKey: UTF8String): Boolean =
      (fold.comparesValues || partialRows.nonEmpty) && numbers.find(recordKey.toString).exists(
        fold.isBeaten
      )

    /** Reads the keys of all blocks. */
    def addAll(): Unit = if (partialRows.isEmpty || isFirst) {
      val ends = blocks.map(_.block.buffer.remaining.toLong).scanLeft(0L)(_ + _)
      blocks.zipWithIndex.foreach { case (found, number) =>
        if (found.block.kind == LogBlock.delete) addDeletes(found)
        else if (found.block.isPartial) partialRows.foreach(addPartial(found, number, _))
        else if (!isFirst || ends(number + 1) > SliceLogs.mostBytes) addLarge(found, number)
        else addSmall(found, number)
      }
      partialRows.foreach(_.retain(fold.partialRows))
    }

    private def addDeletes(found: AdmittedBlocks.InFile): Unit =
      DeleteRecords.read(found.block.buffer, found.file).foreach { record =>
        numbers.add(record.key).foreach(fold.delete(_, OrderingValues.of(record.ordering, types)))
      }

    private def addSmall(found: AdmittedBlocks.InFile, number: Int): Unit = {
      val opened = rows.open(slice, found)
      if (opened.inOneBatch && values + opened.values <= SliceLogs.mostValues) {
        values += opened.values
        kept(number) = opened.batches
        if (opened.batches.next()) addRows(opened.batches.get(), inRows, found, number, 0)
      } else {
        opened.batches.close()
        addLarge(found, number)
      }
    }

    private def addLarge(found: AdmittedBlocks.InFile, number: Int): Unit =
      Using.resource(states.open(slice, found).batches)(SliceLogs.eachBatch(_) { (batch, first) =>
        addRows(batch, inStates, found, number, first)
      })

    private def addPartial(
        found: AdmittedBlocks.InFile,
        number: Int,
        copies: PartialRows
    ): Unit = Using.resource(partial.rows.open(slice, found).batches) { reader =>
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

    /** Reads the base before `ofLogs` is used if rows of it may be put together with partial updates: then
      * these rows are in `ofBase` alone. */
    def meetBase(): Unit = if (partialRows.nonEmpty)
      openBase.foreach(Using.resource(_)(SliceLogs.eachBatch(_) { (batch, _) =>
        superseded(batch, (key, _) => fold.takeBase(key): Unit)(new Array[Int](batch.numRows)): Unit
      }))

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
        if (keys.isNullAt(row)) throw LogFileBlocks.corrupt(found.file, "a row has no record key")
        val ordering = if (fold.comparesValues) values.at(row) else LogMerging.noValues
        if (ordering.exists(Option(_).isEmpty))
          throw LogMerging.noOrdering(new Path(found.file), merging.fields)
        add(row, ordering)
      }
    }

    private def baseRows: Iterator[PartitionReader[ColumnarBatch]] =
      openBase.map { reader =>
        val left =
          new Remaining(reader, batch => superseded(batch, take(batch)), wanted, inOrder,
            partialRows)
        ofFile.zip(bytesOfBase).fold[PartitionReader[ColumnarBatch]](left) {
          case (column, bytes) => column.completed(bytes.file, isOfFile = true, left, conf)
        }
      }

    /** Opens a reader of the base. With partial updates, the first part has all rows. */
    private def openBase: Iterator[PartitionReader[ColumnarBatch]] = {
      val reader = if (partialRows.isEmpty) base else partial.base
      bytesOfBase.iterator.map(bytes => reader.createColumnarReader(SlicePartition(Seq(bytes))))
    }

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
      val keys = batch.column(inRows.key)
      val values = new OrderingValues(batch, inRows.ordering, types)
      val mayBeNull = keys.hasNull
      val rows = batch.numRows
      var (row, count) = (0, 0)
      while (row < rows) {
        val ofRow = if (mayBeNull && keys.isNullAt(row)) -1 else numbers.find(keys, row)
        if (ofRow >= 0 && !fold.staysInBase(ofRow, values.at(row))) {
          gone(count) = row
          count += 1
          leaves(ofRow, row)
        }
        row += 1
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
          Iterator.single(copies.open(fold.partialRows.map(copies.of(_)), SliceLogs.mostPartial))
        )(_ => partialRowsByFile(copies))
      }.flatten ++ blocks.indices.iterator.filter(chosen.contains(_)).map { number =>
        val ofBlock = new ChosenRows(chosen(number)) // counts the rows of all batches
        inFile(number, new Remaining(rowsOf(number), ofBlock.others(_), wanted))
      }
    }

    /** Opens readers of the rows that partial updates give: a row is in the file of the newest one. */
    private def partialRowsByFile(copies: PartialRows): Iterator[PartitionReader[ColumnarBatch]] =
      fold.partialRows.toSeq.groupBy(_.head.block).toSeq.sortBy(_._1).iterator.map {
        case (number, rows) =>
          inFile(number, copies.open(rows.iterator.map(copies.of(_)), SliceLogs.mostPartial))
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
      kept.get(number).fold(rows.open(slice, blocks(number)).batches)(new SliceLogs.Read(_))

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
}

/** Rows of a slice with log files.
  * @param ofBase   reader of the rows of its base, in their order
  * @param ofLogs   reader of the rows of its log files
  * @param isBeaten whether a record key of `ofLogs` has a row in `ofBase` that readers see instead;
  *                 known when that row was read */
final case class RowsApart(
    ofBase: PartitionReader[ColumnarBatch],
    ofLogs: PartitionReader[ColumnarBatch],
    isBeaten: UTF8String => Boolean
)

private object SliceLogs {

  /** Most bytes of log files, and most values in them, that stay in memory as vectors while a slice is read. */
  private final val mostBytes = 16L << 20
  private final val mostValues = 4L << 20

  /** Most rows of a batch of rows that are put together. */
  private final val mostPartial = 4096

  /** Calls a function with each batch of a reader and the number of rows before it. */
  private def eachBatch(reader: PartitionReader[ColumnarBatch])(
      read: (ColumnarBatch, Int) => Unit
  ): Unit = {
    var first = 0
    while (reader.next()) {
      val batch = reader.get()
      read(batch, first)
      first += batch.numRows
    }
  }

  /** Reader that closes others, too. A task holds it until its end, but not what it has read: that may be
    * the bytes of many log files.
    * @param others called on close */
  private final class Whole(
      reader: PartitionReader[ColumnarBatch],
      others: () => Unit = () => ()
  ) extends PartitionReader[ColumnarBatch] {
    private var open = Option((reader, others))
    override def next(): Boolean = open.exists(_._1.next())
    override def get(): ColumnarBatch =
      open.map(_._1.get()).getOrElse(throw new NoSuchElementException)
    override def close(): Unit = {
      val last = open
      open = None
      last.foreach { case (of, end) =>
        of.close()
        end()
      }
    }
  }

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

/** Places of the columns that decide which rows stay.
  * @param columns columns of the rows, these among them */
private final class KeyedColumns(merging: LogMerging, columns: StructType) extends Serializable {
  val key: Int = columns.fieldIndex(merging.key)
  val ordering: Seq[Int] = merging.fields.map(columns.fieldIndex)
  private val deleted = columns.fieldNames.indexOf(MergeOrder.isDeleted)

  /** Whether a row of a log file says that it is deleted. */
  def isDeleted(batch: ColumnarBatch, row: Int): Boolean =
    deleted >= 0 && !batch.column(deleted).isNullAt(row) && batch.column(deleted).getBoolean(row)
}
