package hudilite.spark.write

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.impl.ColumnWriteStoreV1
import org.apache.parquet.column.page.{PageWriteStore, PageWriter}
import org.apache.parquet.column.{ColumnDescriptor, ParquetProperties}
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.hadoop.{ColumnChunkPageWriteStore, ParquetFileWriter}
import org.apache.parquet.schema.{MessageType, Type}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** What all row groups of a file have in common.
  * @param support    writes rows of the whole schema
  * @param ofColumns  writes rows of some of its columns */
final private[write] case class GroupSettings(
    schema: StructType,
    support: RowSupport,
    ofColumns: StructType => RowSupport,
    layout: FileLayout,
    properties: ParquetProperties,
    compressor: BytesInputCompressor
)

/** A row group under way: its rows, encoded, and the columns that it will copy.
  * @param copied   columns that no row brings along
  * @param maxBytes encoded bytes from which on it is full */
final private[write] class RowGroup(
    settings: GroupSettings,
    file: ParquetFileWriter,
    ordinal: Int,
    copied: Option[CopiedColumns],
    maxBytes: Long
) {
  import RowGroup._

  private val step = PageEncodings.step(settings.layout)
  private val message = settings.support.message
  private val names = copied.fold(Set.empty[String])(_.columns)
  private val own = StructType(settings.schema.filterNot(field => names(field.name)))
  private val block = copied.map(of => of.file.block(of.block))
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

  /** Whether columns are encoded each by itself, rather than row after row. */
  def isByColumns: Boolean = encoders.forall(_.isDefined)

  def copies: Boolean = copied.isDefined

  def rows: Long = written

  /** Whether the next row belongs into another group; one that copies columns is never full. */
  def isFull: Boolean = full

  def write(row: InternalRow): Unit = {
    begin(): Unit
    sink.write(row)
    end(1)
  }

  /** Writes rows of a batch, as many as belong together.
    * @return the row after the last one written, `until` at most */
  def write(batch: ColumnarBatch, from: Int, until: Int): Int = {
    val next = math.min(until, from + begin())
    sink.write(batch, from, next)
    end(next - from)
    next
  }

  def write(batch: ColumnarBatch, at: Int, patch: InternalRow, places: Array[Int]): Unit = {
    begin(): Unit
    sink.write(batch, at, patch, places)
    end(1)
  }

  /** Puts the whole group into the file.
    * @throws IllegalStateException when rows are missing, or one was given up half way */
  def finish(): Unit = {
    if (!atRest) throw new IllegalStateException("a row was not written as a whole")
    if (copies && written != mostRows)
      throw new IllegalStateException(s"$written rows beside copied columns of $mostRows")
    if (written > 0) {
      file.startBlock(written)
      sink.flush()
      parts.foreach {
        case Encoded(run) => stores(run).flushToFileWriter(file)
        case Copied(column) =>
          for {
            of <- copied
            from <- block
          } of.file.copy(from, column, file)
      }
      file.endBlock()
    }
  }

  /** Rows that the next piece may have at most. */
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
        new FlatColumn(column, settings.properties, pages.getPageWriter(column))
      }
      val started = encoders.flatten.zip(flat).map { case (start, column) => start(column) }
      new ByColumns(started.toArray, flat, step)
    } else {
      val columns = new ColumnWriteStoreV1(fields, pages, settings.properties)
      val support = if (copies) settings.ofColumns(own) else settings.support
      new ByRows(support, fields, own, columns)
    }

  /** Looks at the bytes held, and sets when to look again: half way to where they are too many. */
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

  /** The runs' pages as one. */
  private def pages: PageWriteStore = new PageWriteStore {
    override def getPageWriter(column: ColumnDescriptor): PageWriter =
      stores.collectFirst { case (run, store) if run.containsPath(column.getPath) => store }
        .map(_.getPageWriter(column))
        .getOrElse(throw new IllegalStateException(s"no pages for $column"))
  }
}

private object RowGroup {

  /** A stretch of the row group, in the order of the file. */
  sealed private trait Part

  /** Columns next to each other that rows bring along. */
  final private case class Encoded(columns: MessageType) extends Part

  /** A column, or one of a nested column's. */
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
