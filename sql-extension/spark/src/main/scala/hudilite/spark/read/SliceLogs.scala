package hudilite.spark.read

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{DeleteRecords, LogBlock, LogFileBlocks, MergeOrder}
import hudilite.io.Storage
import hudilite.view.{AdmittedBlocks, FileSlice, LogFile, SliceBase, SnapshotView}

/** Vectorized reader of file slices with log files (task side): rows of the base stay in their vectors,
  * less those that the log files change or delete, then come the rows of the log files.
  * @param merging rule and ordering fields by which rows are compared
  * @param view    commits whose blocks count
  * @param columns columns that `base` and `rows` read: those that are returned, then others
  * @param wanted  number of columns that are returned
  * @param base    reader of bases; skips rows by filters only in commit time
  * @param rows    reader of data blocks
  * @param states  reader of `keyed` of data blocks
  * @param keyed   record key, ordering fields and `_hoodie_is_deleted` if the table has it
  * Source: merge-on-read §4, §8.9. */
private[read] final class SliceLogs(
    merging: LogMerging,
    view: SnapshotView,
    columns: StructType,
    wanted: Int,
    base: SliceReaderFactory,
    rows: LogBlockReader,
    states: LogBlockReader,
    keyed: StructType
) extends Serializable {
  private val types = merging.fields.map(name => keyed(name).dataType)
  private val ofBase = merging.compared.map(columns.fieldIndex)
  private val ofBlock = merging.compared.map(keyed.fieldIndex)
  private val deleted = keyed.fieldNames.indexOf(MergeOrder.isDeleted)

  /** Opens a reader of all rows of a slice.
    * Errors: those of [[SliceReaderFactory]] and [[LogFileBlocks]]; HUDILITE_UNSUPPORTED_TABLE. */
  def open(slice: FileSlice, conf: Configuration): PartitionReader[ColumnarBatch] = {
    val storage = Storage.of(slice.logs.head.path, conf)
    val read = slice.logs.flatMap { log =>
      blocksOf(log, storage.readListed(log.path, log.length, Storage.maxArrayBytes))
    }
    val blocks = AdmittedBlocks.of(read, view.isCommitted)
    blocks.find(_.block.isPartial).foreach(found => throw LogMerging.partial(new Path(found.file)))
    val fold = new LogFold(merging.rule, types)
    blocks.zipWithIndex.foreach { case (found, number) => add(fold, slice, found, number) }
    new InTurn(baseRows(slice, fold) ++ blockRows(slice, fold, blocks))
  }

  /** Opens a reader of all rows of a data block: the columns that are returned, then others. */
  def openBlock(
      slice: FileSlice,
      found: AdmittedBlocks.InFile
  ): PartitionReader[ColumnarBatch] = rows.open(slice, found)

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

  private def add(
      fold: LogFold,
      slice: FileSlice,
      found: AdmittedBlocks.InFile,
      number: Int
  ): Unit =
    if (found.block.kind == LogBlock.delete)
      DeleteRecords.read(found.block.buffer, found.file).foreach { record =>
        fold.delete(UTF8String.fromString(record.key), OrderingValues.of(record.ordering, types))
      }
    else {
      Using.resource(states.open(slice, found)) { reader =>
        var first = 0
        while (reader.next()) {
          addRows(fold, reader.get(), found, number, first)
          first += reader.get().numRows
        }
      }
    }

  private def addRows(
      fold: LogFold,
      batch: ColumnarBatch,
      found: AdmittedBlocks.InFile,
      number: Int,
      first: Int
  ): Unit = {
    val values = new OrderingValues(batch, ofBlock.tail, types)
    val keys = batch.column(ofBlock.head)
    (0 until batch.numRows).foreach { row =>
      if (keys.isNullAt(row)) throw LogFileBlocks.corrupt(found.file, "a row has no record key")
      val ordering = if (fold.comparesValues) values.at(row) else LogMerging.noValues
      if (ordering.exists(Option(_).isEmpty))
        throw LogMerging.noOrdering(new Path(found.file), merging.fields)
      val key = keys.getUTF8String(row)
      if (
        deleted >= 0 && !batch.column(deleted).isNullAt(row) &&
        batch.column(deleted).getBoolean(row)
      ) fold.addDeleted(key, ordering)
      else fold.add(key, ordering, number, first + row)
    }
  }

  private def baseRows(slice: FileSlice, fold: LogFold): Iterator[PartitionReader[ColumnarBatch]] =
    slice.base match {
      case SliceBase.NoBase => Iterator.empty
      case _: SliceBase.Stored =>
        val whole = SlicePartition.whole(slice.copy(logs = Nil))
        Iterator(new Remaining(base.createColumnarReader(whole), staying(fold, _), wanted))
    }

  /** Writes the indexes of the rows of a base's batch that stay into an array.
    * @return their number */
  private def staying(fold: LogFold, batch: ColumnarBatch)(rows: Array[Int]): Int = {
    val keys = batch.column(ofBase.head)
    val values = new OrderingValues(batch, ofBase.tail, types)
    var count = 0
    (0 until batch.numRows).foreach { row =>
      if (keys.isNullAt(row) || fold.staysInBase(keys.getUTF8String(row), values.at(row))) {
        rows(count) = row
        count += 1
      }
    }
    count
  }

  /** Opens readers of the rows of the log files, after the base rows were read. */
  private def blockRows(
      slice: FileSlice,
      fold: LogFold,
      blocks: Vector[AdmittedBlocks.InFile]
  ): Iterator[PartitionReader[ColumnarBatch]] = {
    val chosen = fold.rowsByBlock()
    blocks.indices.iterator.filter(chosen.contains).map { number =>
      val at = new ChosenRows(chosen(number))
      new Remaining(rows.open(slice, blocks(number)), at.within(_), wanted)
    }
  }
}
