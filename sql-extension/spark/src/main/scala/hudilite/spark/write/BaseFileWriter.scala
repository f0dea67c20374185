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
import hudilite.io.{DataFileWriter, NewFile}

/** Writes one base file as Spark lays rows out, with Hudi's footer keys (task side). Flat columns are
  * encoded each by itself; row groups and single columns may be copied from an old file as bytes.
  *
  * A row group ends by itself when it has `layout.rowGroupRows` rows or Parquet's size. Not for more
  * than one thread; after an exception the file is to be abandoned.
  *
  * @param path    final name of the file; nothing may lie there
  * @param schema  the five meta columns, then the table's columns
  * @param layout  codec, rows a page and rows a row group
  * @param footer  key-value pairs of the footer, asked for once all rows are written
  * Source: hudi-format.md 4.4-4.6, 10.1, 10.2
  */
final class BaseFileWriter(
    path: Path,
    conf: Configuration,
    schema: StructType,
    layout: FileLayout,
    footer: () => Map[String, String]
) extends DataFileWriter {
  private val support = new RowSupport(conf, schema)
  private val properties = PageEncodings.properties(layout)
  private val codecs = new CodecFactory(conf, properties.getPageSizeThreshold)
  private val settings = GroupSettings(
    schema,
    support,
    new RowSupport(conf, _),
    layout,
    properties,
    codecs.getCompressor(layout.codec)
  )
  private val file = open()
  private var group = Option.empty[RowGroup]
  private var ended, copied, partlyCopied, byColumns = 0

  file.start()

  /** Row groups so far that were copied but for their file name. */
  def groupsCopied: Int = copied

  /** Row groups so far of which some columns were copied; those below have none. */
  def groupsPartlyCopied: Int = partlyCopied

  /** Row groups so far that were encoded column by column. */
  def groupsByColumns: Int = byColumns

  /** Row groups so far that were encoded row by row: those with a nested column. */
  def groupsByRows: Int = ended - copied - partlyCopied - byColumns

  /** Writes a row of the columns that are not copied. */
  def write(row: InternalRow): Unit = {
    val to = current()
    to.write(row)
    if (to.isFull) endGroup()
  }

  /** Writes rows of a batch.
    * @param batch the columns that are not copied, in the schema's order; it may change after the call
    * @param from  the first row
    * @param until the row after the last */
  def write(batch: ColumnarBatch, from: Int, until: Int): Unit = {
    var at = from
    while (at < until) {
      val to = current()
      at = to.write(batch, at, until)
      if (to.isFull) endGroup()
    }
  }

  /** Writes one row of two: of each column that is not copied, in the schema's order, the value stands
    * in `patch` at the ordinal that `places` has for it, or in the batch where that is negative.
    * @param at the batch's row */
  def write(batch: ColumnarBatch, at: Int, patch: InternalRow, places: Array[Int]): Unit = {
    val to = current()
    to.write(batch, at, patch, places)
    if (to.isFull) endGroup()
  }

  /** Why row groups of a file must not be copied into this one, if so. */
  def noCopy(old: OldFile): Option[NoCopy] =
    if (Option(file.getEncryptor).isDefined) Some(NoCopy.Encryption)
    else CopyRules.canCopy(old.footer, support.message).left.toOption

  /** Begins a row group some columns of which are copied; rows bring the others along, as many as the
    * old row group has. It ends with `endGroup`, or when another begins; the bytes are copied then.
    * @throws IllegalArgumentException when a column must not be copied
    * @throws IllegalStateException when the file is encrypted */
  def startGroup(columns: CopiedColumns): Unit = {
    endGroup()
    checkCopied(columns.file, columns.columns)
    group = Some(start(Some(columns)))
  }

  /** Ends the row group under way; nothing where there is none.
    * @throws IllegalStateException when rows are missing beside copied columns */
  def endGroup(): Unit = {
    group.foreach { of =>
      of.finish()
      if (of.rows > 0) {
        ended += 1
        if (of.copies) partlyCopied += 1 else if (of.isByColumns) byColumns += 1
      }
    }
    group = None
  }

  /** Copies a row group, with another file name in its rows.
    * @param block    its ordinal
    * @param fileName for `_hoodie_file_name`
    * @throws IllegalArgumentException when a column must not be copied
    * @throws IllegalStateException when the file is encrypted */
  def copyGroup(old: OldFile, block: Int, fileName: String): Unit = {
    endGroup()
    checkCopied(old, schema.fieldNames.toSet)
    val from = old.block(block)
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
    copied += 1
  }

  override def close(): Unit =
    try {
      endGroup()
      file.end((support.pairs ++ footer()).asJava)
    } finally abandon()

  override def abandon(): Unit =
    try {
      try file.close()
      finally codecs.release()
    } catch { case NonFatal(_) => () }

  private def open(): ParquetFileWriter = new ParquetFileWriter(
    new NewFile(path, conf),
    support.message,
    ParquetFileWriter.Mode.CREATE,
    BaseFileWriter.groupBytes,
    ParquetWriter.MAX_PADDING_SIZE_DEFAULT,
    ParquetOutputFormat.createEncryptionProperties(conf, path, support.context),
    properties
  )

  private def current(): RowGroup = group.getOrElse {
    val of = start(None)
    group = Some(of)
    of
  }

  private def start(columns: Option[CopiedColumns]): RowGroup = {
    val bytes = math.min(file.getNextRowGroupSize, BaseFileWriter.groupBytes)
    new RowGroup(settings, file, ended, columns, bytes)
  }

  private def checkCopied(old: OldFile, columns: Set[String]): Unit = {
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
  private val groupBytes = ParquetWriter.DEFAULT_BLOCK_SIZE.toLong

  /** Columns of a base file as they stand in Parquet.
    * @param schema the five meta columns, then the table's columns */
  def message(conf: Configuration, schema: StructType): MessageType =
    new RowSupport(conf, schema).message
}
