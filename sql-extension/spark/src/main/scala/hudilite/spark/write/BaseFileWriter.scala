package hudilite.spark.write

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.{
  CodecFactory,
  ParquetFileWriter,
  ParquetOutputFormat,
  ParquetWriter
}
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

import hudilite.bootstrap.ConstantColumn
import hudilite.format.MetaFields
import hudilite.io.{DataFileWriter, DataOutput, NewFile}

/** Writes one base file in Spark's Parquet layout, with Hudi's footer keys (task side). Columns are
  * encoded one by one if all are flat, otherwise row by row. Whole row groups or single columns may
  * be copied as bytes from an old file. A row group ends when it has `layout.rowGroupRows` rows or
  * Parquet's row group size. Not thread-safe. After an exception the file must be abandoned.
  *
  * @param path    final name of the file, which must not exist
  * @param schema  the five meta columns, then the table's columns
  * @param layout  codec, rows per page and rows per row group
  * @param footer  key-value pairs of the footer, evaluated once all rows are written
  * @param target  receives the bytes
  * Source: hudi-format.md 4.4-4.6, 10.1, 10.2
  */
final class BaseFileWriter(
    path: Path,
    conf: Configuration,
    schema: StructType,
    layout: FileLayout,
    footer: () => Map[String, String],
    target: DataOutput
) extends DataFileWriter {

  /** Writer of a file of its own. */
  def this(
      path: Path,
      conf: Configuration,
      schema: StructType,
      layout: FileLayout,
      footer: () => Map[String, String]
  ) = this(path, conf, schema, layout, footer, new NewFile(path, conf))

  private val support = new RowSupport(conf, schema)
  private val properties = PageEncodings.properties(layout, schema)
  private val codecs = new CodecFactory(conf, BaseFileWriter.compressedBytes)
  private val settings = RowGroupSettings(
    schema,
    support,
    new RowSupport(conf, _),
    layout,
    properties,
    codecs.getCompressor(layout.codec)
  )
  private val file = open()
  private var rowGroup = Option.empty[RowGroupWriter]
  private var ended, copied, partlyCopied, byColumns = 0
  private var endedRows = 0L

  file.start()

  /** Number of row groups so far that have ended. */
  def rowGroups: Int = ended

  /** Number of rows so far. */
  def rows: Long = endedRows + rowGroup.fold(0L)(_.rows)

  /** Number of row groups so far that were copied as bytes, except for `_hoodie_file_name`. */
  def rowGroupsCopied: Int = copied

  /** Number of row groups so far with some copied columns; the counts below exclude these. */
  def rowGroupsPartlyCopied: Int = partlyCopied

  /** Number of row groups so far that were encoded column by column. */
  def rowGroupsByColumns: Int = byColumns

  /** Number of row groups so far that were encoded row by row, because of a nested column. */
  def rowGroupsByRows: Int = ended - copied - partlyCopied - byColumns

  /** Writes a row of the columns that are not copied; it may change after the call. */
  def write(row: InternalRow): Unit = {
    val to = current()
    to.write(row)
    if (to.isFull) endRowGroup()
  }

  /** Writes rows of a batch.
    * @param batch columns that are not copied, in schema order; it must not change before
    *              [[release]] or the end of the row group
    * @param from  index of the first row
    * @param until index after the last row */
  def write(batch: ColumnarBatch, from: Int, until: Int): Unit = {
    var at = from
    while (at < until) {
      val to = current()
      at = to.write(batch, at, until)
      if (to.isFull) endRowGroup()
    }
  }

  /** Writes one row that is combined from a row of the batch and a patch.
    * @param batch  as above
    * @param at     index of the row in the batch
    * @param patch  may change after the call
    * @param places for each column that is not copied, in schema order, the ordinal of its value in
    *               `patch`; negative if the batch has the value */
  def write(batch: ColumnarBatch, at: Int, patch: NewRow, places: Array[Int]): Unit = {
    val to = current()
    to.write(batch, at, patch, places)
    if (to.isFull) endRowGroup()
  }

  /** Encodes all rows so far, so that their batch may change. */
  def release(): Unit = rowGroup.foreach(_.release())

  /** Returns why row groups of an old file must not be copied into this one; None if they may. */
  def noCopy(old: OldColumnChunks): Option[NoCopy] =
    if (Option(file.getEncryptor).isDefined) Some(NoCopy.Encryption)
    else CopyRules.canCopy(old.footer, support.message).left.toOption

  /** Starts a row group with some copied columns. The rows written to it have the other columns,
    * and must be as many as those of the old row group. Its bytes are copied when it ends: by
    * `endRowGroup`, or when another row group starts.
    * @throws IllegalArgumentException when a column must not be copied
    * @throws IllegalStateException when the file is encrypted */
  def startRowGroup(columns: CopiedColumns): Unit = {
    endRowGroup()
    checkCopied(columns.from, columns.columns)
    rowGroup = Some(start(Some(columns)))
  }

  /** Ends the current row group; has no effect if there is none.
    * @throws IllegalStateException when it has fewer rows than its copied columns */
  def endRowGroup(): Unit = {
    rowGroup.foreach { of =>
      of.finish()
      if (of.rows > 0) {
        ended += 1
        endedRows += of.rows
        if (of.copies) partlyCopied += 1 else if (of.isByColumns) byColumns += 1
      }
    }
    rowGroup = None
  }

  /** Copies a row group of an old file, with another file name in its rows.
    * @param ordinal  of the row group in the old file
    * @param fileName value of `_hoodie_file_name`
    * @throws IllegalArgumentException when a column must not be copied
    * @throws IllegalStateException when the file is encrypted */
  def copyRowGroup(old: OldColumnChunks, ordinal: Int, fileName: String): Unit = {
    endRowGroup()
    checkCopied(old, schema.fieldNames.toSet)
    val from = old.block(ordinal)
    file.startBlock(from.getRowCount)
    support.message.getColumns.asScala.foreach { column =>
      if (column.getPath.sameElements(Array(MetaFields.FileName)))
        ConstantColumn.write(
          file,
          codecs.getCompressor(CompressionCodecName.UNCOMPRESSED),
          column,
          fileName,
          Math.toIntExact(from.getRowCount)
        )
      else old.copy(from, column, file)
    }
    file.endBlock()
    ended += 1
    endedRows += from.getRowCount
    copied += 1
  }

  override def close(): Unit =
    try {
      endRowGroup()
      file.end((support.pairs ++ footer()).asJava)
    } finally abandon()

  override def length: Long = file.getPos

  override def abandon(): Unit =
    try {
      target.abort()
      try file.close()
      finally codecs.release()
    } catch { case NonFatal(_) => () }

  private def open(): ParquetFileWriter = new ParquetFileWriter(
    target,
    support.message,
    ParquetFileWriter.Mode.CREATE,
    BaseFileWriter.rowGroupBytes,
    ParquetWriter.MAX_PADDING_SIZE_DEFAULT,
    ParquetOutputFormat.createEncryptionProperties(conf, path, support.context),
    properties
  )

  private def current(): RowGroupWriter = rowGroup.getOrElse {
    val of = start(None)
    rowGroup = Some(of)
    of
  }

  private def start(columns: Option[CopiedColumns]): RowGroupWriter = {
    val bytes = math.min(file.getNextRowGroupSize, BaseFileWriter.rowGroupBytes)
    new RowGroupWriter(settings, file, ended, columns, bytes)
  }

  private def checkCopied(old: OldColumnChunks, columns: Set[String]): Unit = {
    if (Option(file.getEncryptor).isDefined)
      throw new IllegalStateException("an encrypted file takes no copies")
    val asked = support.message.getFields.asScala.filter(of => columns(of.getName))
    require(asked.size == columns.size, s"not all are columns of the file: $columns")
    for {
      column <- asked
      why <- CopyRules.canCopy(old.footer, column).left.toOption
    } throw new IllegalArgumentException(s"${column.getName} must not be copied: ${why.word}")
  }
}

object BaseFileWriter {
  private val compressedBytes = 1 << 16 // at the beginning, of the buffer of compressed pages
  private val rowGroupBytes = ParquetWriter.DEFAULT_BLOCK_SIZE.toLong

  /** Parquet schema of a base file.
    * @param schema the five meta columns, then the table's columns */
  def message(conf: Configuration, schema: StructType): MessageType =
    new RowSupport(conf, schema).message
}
