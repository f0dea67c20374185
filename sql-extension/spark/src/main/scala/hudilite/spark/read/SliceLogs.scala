package hudilite.spark.read

import scala.collection.mutable
import scala.collection.mutable.ArrayBuilder
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException
import hudilite.format.{DeleteRecords, LogBlock, LogFileBlocks, MergeOrder, MetaFields}
import hudilite.io.{Closing, Storage}
import hudilite.view.{AdmittedBlocks, FileSlice, LogFile, LostFile, SnapshotView}

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
  * @param lookUp  the one record key whose row is read
  * Source: merge-on-read §4, §8.9. */
private[read] final class SliceLogs(
    val merging: LogMerging,
    view: SnapshotView,
    val columns: StructType,
    val wanted: Int,
    base: SliceReaderFactory,
    rows: LogBlockReader,
    states: LogBlockReader,
    keyed: StructType,
    val partial: PartialReaders,
    val ofFile: Option[FileColumn],
    lookUp: Option[LogLookUp]
) extends Serializable {

  /** Type of the key by which rows find each other. */
  val key: DataType = keyed(merging.key).dataType

  /** Types of the ordering fields. */
  val types: Seq[DataType] = merging.fields.map(name => keyed(name).dataType)

  /** Places of the key and the ordering fields in what the readers return. */
  val inRows = new KeyedColumns(merging, columns)
  val inStates = new KeyedColumns(merging, keyed)
  private val ofPartial = LogMerging.ofPartial(columns)
  val inPartial = new KeyedColumns(merging.copy(key = MetaFields.RecordKey), ofPartial)

  /** Opens the rows of a data block. */
  def openRows(slice: FileSlice, found: AdmittedBlocks.InFile): BlockRows = {
    val opened = rows.open(slice, found)
    opened.copy(batches = withKeys(opened.batches, columns))
  }

  /** Opens the columns of a data block that decide which rows stay, see [[inStates]]. */
  def openStates(
      slice: FileSlice,
      found: AdmittedBlocks.InFile
  ): PartitionReader[ColumnarBatch] = withKeys(states.open(slice, found).batches, keyed)

  /** Opens the rows of a data block that need not have all columns, see [[inPartial]]. */
  def openPartial(
      slice: FileSlice,
      found: AdmittedBlocks.InFile
  ): PartitionReader[ColumnarBatch] = withKeys(partial.rows.open(slice, found).batches, ofPartial)

  /** Opens rows of a base.
    * @param isWhole whether no row is skipped, whatever the filters are */
  def openBase(part: SlicePart, isWhole: Boolean): PartitionReader[ColumnarBatch] = {
    val reader = if (isWhole) partial.base else base
    withKeys(reader.createColumnarReader(SlicePartition(Seq(part))), columns)
  }

  private def withKeys(of: PartitionReader[ColumnarBatch], columns: StructType) =
    merging.keys.fold(of)(_.completed(of, columns))

  /** Returns the reader for another state of the table. */
  def at(other: SnapshotView): SliceLogs =
    new SliceLogs(merging, other, columns, wanted, base, rows, states, keyed, partial, ofFile,
      lookUp)

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
    RowsApart(merged.ofBase, merged.ofLogs, merged.isBeaten)
  }

  private def read(part: SlicePart, conf: Configuration, inOrder: Boolean): MergedSlice = {
    val slice = part.slice
    val storage = Storage.of(slice.logs.head.path, conf)
    val opened = mutable.Map.empty[LogFile, LogFileBlocks]
    def blocksIn(log: LogFile) = opened.getOrElseUpdate(log, blocksOf(log, storage, conf))
    val logs = lookUp.fold(slice.logs) { key =>
      key.needed(slice.logs)(log => keysOf(slice, log, blocksIn(log), key))
    }
    val blocks =
      AdmittedBlocks.of(logs.flatMap(log => checked(log, blocksIn(log))), view.isCommitted)
    val merged = new MergedSlice(this, part, blocks, inOrder, conf)
    Closing.onFailure(merged.ofLogs)(merged.addAll())
    merged
  }

  /** Opens a reader of all rows of a data block: the columns that are returned, then others. Columns that a
    * partial update did not write are NULL. */
  def openBlock(
      slice: FileSlice,
      found: AdmittedBlocks.InFile
  ): PartitionReader[ColumnarBatch] =
    if (found.block.isPartial) openPartial(slice, found) else openRows(slice, found).batches

  /** Returns the blocks of a log file. A part of a block is passed over only if a writer that died may
    * have left it. */
  private def checked(log: LogFile, read: LogFileBlocks): Vector[AdmittedBlocks.InFile] = {
    val path = log.path.toString
    log.lost(read, view.isCommitted).foreach { torn =>
      throw LogFileBlocks.corrupt(path, s"${torn.reason}, at byte ${torn.offset}")
    }
    read.blocks.map(AdmittedBlocks.InFile(path, _))
  }

  /** Reads a log file; there are no blocks in one of a write that was undone meanwhile. */
  private def blocksOf(log: LogFile, storage: Storage, conf: Configuration): LogFileBlocks =
    try
      LogFileBlocks.read(
        storage.readListed(log.path, log.length, Storage.maxArrayBytes),
        log.path.toString
      )
    catch {
      case e: HudiliteException if e.condition == "HUDILITE_MISSING_FILE" =>
        LostFile.checkUndone(log, conf, e)
        LogFileBlocks(Vector.empty, Vector.empty)
    }

  /** Reads the keys in the blocks of a log file; None if not all of them count. */
  private def keysOf(
      slice: FileSlice,
      log: LogFile,
      read: LogFileBlocks,
      lookUp: LogLookUp
  ): Option[LogKeys] = {
    val instants = read.blocks.flatMap(_.instant).distinct
    val blocks = read.blocks.map(AdmittedBlocks.InFile(log.path.toString, _))
    def arePlain =
      blocks.forall(found => found.block.isPlain && rows.hasTypes(found, lookUp.parts))
    if (read.torn.nonEmpty || !arePlain) Some(LogKeys.notPlain)
    else
      Option.when(instants.forall(view.isCommitted)) {
        val hashes = ArrayBuilder.make[Int]
        blocks.foreach(eachKey(slice, _)(hashes.addOne(_): Unit))
        val sorted = hashes.result()
        java.util.Arrays.sort(sorted)
        LogKeys(arePlain = true, instants, sorted)
      }
  }

  /** Calls a function with the hash of each key in a block. */
  private def eachKey(slice: FileSlice, found: AdmittedBlocks.InFile)(add: Int => Unit): Unit =
    if (found.block.kind == LogBlock.delete)
      DeleteRecords.read(found.block.buffer, found.file)
        .foreach(record => LogKeys.hash(record.key, key).foreach(add))
    else
      Using.resource(openStates(slice, found))(SliceLogs.eachBatch(_) { (batch, _) =>
        val keys = batch.column(inStates.key)
        (0 until batch.numRows).foreach { row =>
          if (keys.isNullAt(row)) throw SliceLogs.noKey(found)
          add(LogKeys.hash(keys, key, row))
        }
      })
}

/** Rows of a slice with log files.
  * @param ofBase   reader of the rows of its base, in their order
  * @param ofLogs   reader of the rows of its log files
  * @param isBeaten whether a record key of `ofLogs` has a row in `ofBase` that readers see instead;
  *                 known when that row was read. Until then, a row of `ofLogs` may have NULL in any
  *                 column. Errors: HUDILITE_CORRUPT_DATA_FILE if it has in one that must not be NULL,
  *                 and no row in `ofBase` */
final case class RowsApart(
    ofBase: PartitionReader[ColumnarBatch],
    ofLogs: PartitionReader[ColumnarBatch],
    isBeaten: UTF8String => Boolean
)

private[read] object SliceLogs {

  /** Returns the error for a row of a block that has no record key. */
  def noKey(found: AdmittedBlocks.InFile): HudiliteException =
    LogFileBlocks.corrupt(found.file, "a row has no record key")

  /** Calls a function with each batch of a reader and the number of rows before it. */
  def eachBatch(reader: PartitionReader[ColumnarBatch])(
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
  final class Whole(
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
}

/** Places of the columns that decide which rows stay.
  * @param columns columns of the rows, these among them */
private[read] final class KeyedColumns(merging: LogMerging, columns: StructType)
    extends Serializable {
  val key: Int = columns.fieldIndex(merging.key)
  val ordering: Seq[Int] = merging.fields.map(columns.fieldIndex)
  private val deleted = columns.fieldNames.indexOf(MergeOrder.isDeleted)

  /** Whether a row of a log file says that it is deleted. */
  def isDeleted(batch: ColumnarBatch, row: Int): Boolean =
    deleted >= 0 && !batch.column(deleted).isNullAt(row) && batch.column(deleted).getBoolean(row)
}
