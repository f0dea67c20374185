package hudilite.spark.write

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.impl.ColumnWriteStoreV1
import org.apache.parquet.column.page.PageWriteStore
import org.apache.parquet.column.values.bloomfilter.BloomFilterWriteStore
import org.apache.parquet.column.{ColumnDescriptor, ParquetProperties}
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.hadoop.{ColumnChunkPageWriteStore, ParquetFileWriter}
import org.apache.parquet.schema.{MessageType, Type}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Settings that all row groups of a file share.
  * @param support    writes rows of the whole schema
  * @param ofColumns  returns a support that writes rows of some of its columns */
final private[write] case class RowGroupSettings(
    schema: StructType,
    support: RowSupport,
    ofColumns: StructType => RowSupport,
    layout: FileLayout,
    properties: ParquetProperties,
    compressor: BytesInputCompressor
)

/** Writer of one row group (task side): encodes rows into memory, and writes them to the
  * file when it ends, together with columns copied from an old file.
  * @param copied   columns to copy, which the rows do not have
  * @param maxBytes encoded bytes at which the row group is full */
final private[write] class RowGroupWriter(
    settings: RowGroupSettings,
    file: ParquetFileWriter,
    ordinal: Int,
    copied: Option[CopiedColumns],
    maxBytes: Long
) {
  import RowGroupWriter._

  private val step = PageEncodings.step(settings.layout)
  private val message = settings.support.message
  private val names = copied.fold(Set.empty[String])(_.columns)
  private val own = StructType(settings.schema.filterNot(field => names(field.name)))
  private val block = copied.map(of => of.from.block(of.ordinal))
  private val mostRows = block.fold(settings.layout.rowGroupRows.toLong)(_.getRowCount)
  private val parts = partsOf(message, names)
  private val stores = parts.collect { case Encoded(run) => run -> pageStore(run) }.toMap
  private val fields =
    part(message, message.getFields.asScala.toSeq.filterNot(f => names(f.getName)))
  private val encoders = own.fields.toSeq.map(field => ColumnEncoder.of(field.dataType))
  private val sink = sinkOfRows
  private var written = 0L
  private var nextLook = step.toLong
  private var atRest = true
  private var full = false

  /** Whether the rows are encoded column by column, as all their columns are flat. */
  def isByColumns: Boolean = encoders.forall(_.isDefined)

  def copies: Boolean = copied.isDefined

  def rows: Long = written

  /** Whether the next row must go to a new row group; never true with copied columns. */
  def isFull: Boolean = full

  def write(row: InternalRow): Unit = {
    begin(): Unit
    sink.write(row)
    end(1)
  }

  /** Writes rows of a batch, up to the next check of the page sizes.
    * @return index after the last row written, `until` at most */
  def write(batch: ColumnarBatch, from: Int, until: Int): Int = {
    val next = math.min(until, from + begin())
    sink.write(batch, from, next)
    end(next - from)
    next
  }

  def write(batch: ColumnarBatch, at: Int, patch: NewRow, places: Array[Int]): Unit = {
    begin(): Unit
    sink.write(batch, at, patch, places)
    end(1)
  }

  /** Encodes all rows so far, so that their batch may change. */
  def release(): Unit = {
    atRest = false
    sink.release()
    atRest = true
  }

  /** Writes the whole row group to the file.
    * @throws IllegalStateException when rows are missing, or a row was written only in part */
  def finish(): Unit = {
    if (!atRest) throw new IllegalStateException("a row was not written as a whole")
    if (copies && written != mostRows)
      throw new IllegalStateException(s"$written rows beside copied columns of $mostRows")
    release()
    if (written > 0) {
      file.startBlock(written)
      sink.flush()
      parts.foreach {
        case Encoded(run) => stores(run).flushToFileWriter(file)
        case Copied(column) =>
          for {
            of <- copied
            from <- block
          } of.from.copy(from, column, file)
      }
      file.endBlock()
    }
  }

  /** Starts a write.
    * @return maximum number of rows that it may have */
  private def begin(): Int = {
    if (written >= mostRows)
      throw new IllegalStateException(s"a row beyond the $mostRows of the copied columns")
    atRest = false
    math.min(step - written % step, mostRows - written).toInt
  }

  private def end(rows: Int): Unit = {
    written += rows
    atRest = true
    if (!copies) full = written >= mostRows || written >= nextLook && holdsEnough
  }

  private def sinkOfRows: RowSink =
    if (isByColumns) {
      val flat = fields.getColumns.asScala.toArray.map { column =>
        new FlatColumn(
          column,
          settings.properties,
          pages.getPageWriter(column),
          Option.when(settings.properties.isBloomFilterEnabled(column)) {
            blooms.getBloomFilterWriter(column)
          }
        )
      }
      val started = encoders.flatten.zip(flat).map { case (start, column) => start(column) }
      new ByColumns(started.toArray, flat, step)
    } else {
      val columns = new ColumnWriteStoreV1(fields, pages, blooms, settings.properties)
      val support = if (copies) settings.ofColumns(own) else settings.support
      new ByRows(support, fields, own, columns)
    }

  /** Whether the buffered bytes are enough. Also sets the row of the next check, halfway to the one
    * at which they are expected to be enough. */
  private def holdsEnough: Boolean = {
    val bytes = sink.bufferedSize
    val ofRow = math.max(1, bytes / written)
    nextLook = math.min(
      math.max(written + 1, (written + maxBytes / ofRow) / 2),
      written + settings.properties.getMaxRowCountForPageSizeCheck
    )
    bytes > maxBytes - 2 * ofRow
  }

  private def pageStore(run: MessageType): ColumnChunkPageWriteStore =
    new ColumnChunkPageWriteStore(
      settings.compressor,
      run,
      settings.properties.getAllocator,
      settings.properties.getColumnIndexTruncateLength,
      settings.properties.getPageWriteChecksumEnabled,
      file.getEncryptor,
      ordinal
    )

  /** Page writers of all runs of encoded columns, as one store. */
  private def pages: PageWriteStore = (column: ColumnDescriptor) =>
    storeOf(column).getPageWriter(column)

  /** Writers of their bloom filters. */
  private def blooms: BloomFilterWriteStore = (column: ColumnDescriptor) =>
    storeOf(column).getBloomFilterWriter(column)

  private def storeOf(column: ColumnDescriptor): ColumnChunkPageWriteStore =
    stores.collectFirst { case (run, store) if run.containsPath(column.getPath) => store }
      .getOrElse(throw new IllegalStateException(s"no pages for $column"))
}

private object RowGroupWriter {

  /** Adjacent columns of the row group, in file order. */
  sealed private trait Part

  /** Run of adjacent columns that are encoded from rows. */
  final private case class Encoded(columns: MessageType) extends Part

  /** One leaf column that is copied. */
  final private case class Copied(column: ColumnDescriptor) extends Part

  private def partsOf(message: MessageType, copied: Set[String]): Seq[Part] = {
    val runs = message.getFields.asScala.foldLeft(Vector.empty[(Boolean, Vector[Type])]) {
      case (before :+ ((false, run)), field) if !copied(field.getName) =>
        before :+ (false -> (run :+ field))
      case (before, field) => before :+ (copied(field.getName) -> Vector(field))
    }
    runs.flatMap {
      case (true, fields) => part(message, fields).getColumns.asScala.map(Copied(_))
      case (false, fields) => Vector(Encoded(part(message, fields)))
    }
  }

  private def part(message: MessageType, fields: Seq[Type]): MessageType =
    new MessageType(message.getName, fields.asJava)
}
