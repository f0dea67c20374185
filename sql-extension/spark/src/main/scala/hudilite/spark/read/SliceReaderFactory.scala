package hudilite.spark.read

import java.io.{EOFException, FileNotFoundException}
import java.nio.BufferUnderflowException

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{ChecksumException, Path}
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetPartitionReaderFactory
import org.apache.spark.sql.execution.datasources.{
  FilePartition,
  SchemaColumnConvertNotSupportedException
}
import org.apache.spark.sql.vectorized.ColumnarBatch

import hudilite.error.HudiliteException
import hudilite.format.BaseFileName
import hudilite.io.StorageFault
import hudilite.view.{
  AdmittedBlocks,
  FileSlice,
  LostFile,
  OpenedFile,
  SliceBase,
  SnapshotView,
  StoredFile
}

/** Factory of Spark's Parquet readers of file slices (task side). A missing or damaged base file
  * fails with a hudilite condition, such as HUDILITE_MISSING_DATA_FILE or
  * HUDILITE_CORRUPT_DATA_FILE.
  */
final class SliceReaderFactory(
    parquet: ParquetPartitionReaderFactory,
    adopted: Option[AdoptedReaders],
    ofPath: Option[PathColumns],
    logs: Option[SliceLogs] = None,
    ofFile: Option[FileColumn] = None
) extends PartitionReaderFactory {
  // Computed on the driver: the session's settings are not sent to tasks.
  private val settings = BatchSettings.of(parquet.sqlConf, parquet.options)
  private val groupFilters =
    RowGroupFilters.of(parquet.sqlConf, parquet.filters.toSeq, parquet.dataSchema)

  private val isCaseSensitive = parquet.sqlConf.caseSensitiveAnalysis

  /** Reads the columns that base files store. */
  private val stored = ofPath.fold(parquet)(_.stored)

  override def supportColumnarReads(partition: InputPartition): Boolean =
    parquet.supportColumnarReads(partition)

  /** Returns a reader of all rows of one row group of an open file. It is vectorized, whatever the
    * session sets, and applies no filter.
    * @param slice    file slice that is not adopted
    * @param opened   its file, which stays open; nothing else may move its stream while a batch is
    *                 read
    * @param rowGroup row group with at least one row */
  def ofRowGroup(
      slice: FileSlice,
      opened: OpenedFile,
      rowGroup: BlockMetaData
  ): PartitionReader[ColumnarBatch] =
    named(
      ofPath.fold(batches(opened, rowGroup))(_.completed(slice, batches(opened, rowGroup))),
      Seq(slice.onlyBase)
    )

  private def batches(
      opened: OpenedFile,
      rowGroup: BlockMetaData
  ): PartitionReader[ColumnarBatch] = {
    val ofFile = stored.broadcastedConf.value.value
    new RowGroupBatches(settings, ofFile, opened, rowGroup,
      types.of(opened.reader.getFileMetaData.getSchema))
  }

  @transient private lazy val types = new LastTypes(stored.readDataSchema, isCaseSensitive)

  /** Returns a function: whether a row group may contain rows that pass the filters. */
  def mayPass(opened: OpenedFile): BlockMetaData => Boolean = {
    if (groupFilters.filters.isEmpty) _ => true
    else {
      val kept = groupFilters.kept(opened.reader)
      block => kept(block.getStartingPos)
    }
  }

  /** Opens a reader of all rows of a slice. */
  def openRows(slice: FileSlice): PartitionReader[InternalRow] =
    createReader(SlicePartition.whole(slice))

  /** Opens readers of the rows of a slice with log files: of those of its base in their order, and of
    * those of its log files. */
  def openApart(slice: FileSlice): RowsApart = {
    val apart = ofLogs(slice).openApart(slice, conf)
    apart.copy(ofBase = named(apart.ofBase, slice.files), ofLogs = named(apart.ofLogs, slice.files))
  }

  /** Opens a reader of all rows of one data block of a slice's log files, with all columns that the
    * factory reads. */
  def openBlock(slice: FileSlice, found: AdmittedBlocks.InFile): PartitionReader[InternalRow] =
    new SliceReaderFactory.Rows(
      SliceReaderFactory.named(ofLogs(slice).openBlock(slice, found), new Path(found.file), conf)
    )

  /** Opens a reader of all rows of a slice in batches, as a reader of another state sees them. The
    * factory has to be one of vectorized readers.
    * @param view commits whose blocks of log files count */
  def openAt(slice: FileSlice, view: => SnapshotView): PartitionReader[ColumnarBatch] = {
    val part = SlicePart.whole(slice)
    if (slice.isOnlyBase) createColumnarReader(SlicePartition(Seq(part)))
    else named(ofLogs(slice).at(view).open(part, conf), slice.files)
  }

  /** Opens a reader of all rows of a slice in batches; None if these columns are read row by row. */
  def openBatches(slice: FileSlice): Option[PartitionReader[ColumnarBatch]] = {
    val partition = SlicePartition.whole(slice)
    Option.when(supportColumnarReads(partition))(createColumnarReader(partition))
  }

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    open(partsOf(partition))(parquet.createReader, new SliceReaderFactory.Rows(_))

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    open(partsOf(partition))(parquet.createColumnarReader, identity)

  private def partsOf(partition: InputPartition): Seq[SlicePart] = partition match {
    case SlicePartition(parts) => parts
    case GroupedSlices(SlicePartition(parts), _) => parts
    case other => throw new IllegalStateException(s"INTERNAL: $other is no partition of slices")
  }

  /** Opens parts of slices, one after another. If none is adopted and no column comes from the path,
    * a single reader of Spark's reads all of them. */
  private def open[T](parts: Seq[SlicePart])(
      plain: InputPartition => PartitionReader[T],
      ofBatches: PartitionReader[ColumnarBatch] => PartitionReader[T]
  ): PartitionReader[T] = {
    def ofParquet(parts: Seq[SlicePart]) = plain(FilePartition(0, parts.map(_.file).toArray))
    def opened(part: SlicePart): PartitionReader[T] =
      if (part.slice.isOnlyBase) ofBase(part) else ofBatches(withLogs(part))
    def ofBase(part: SlicePart): PartitionReader[T] = part.slice.onlyBase match {
      case skeleton: SliceBase.Skeleton =>
        named(ofBatches(inFile(part, adoptedFiles(skeleton).open(part, skeleton, conf))),
          Seq(skeleton, skeleton.source))
      case SliceBase.BaseFile(_, _) =>
        if (ofPath.isEmpty && ofFile.isEmpty) ofParquet(Seq(part))
        else
          ofBatches(inFile(
            part,
            ofPath.fold(
              parquet.createColumnarReader(FilePartition(0, Array(part.file)))
            )(_.open(part))
          ))
    }
    val isAssembled = ofPath.nonEmpty || ofFile.nonEmpty ||
      parts.exists(part => part.slice.source.nonEmpty || !part.slice.isOnlyBase)
    val reader = if (isAssembled) new InTurn(parts.iterator.map(opened)) else ofParquet(parts)
    named(reader, parts.flatMap(_.slice.files))
  }

  /** Adds `_metadata` to the rows of a slice without log files, if it is read. */
  private def inFile(
      part: SlicePart,
      rows: PartitionReader[ColumnarBatch]
  ): PartitionReader[ColumnarBatch] =
    ofFile.fold(rows)(_.completed(part.file, isOfFile = true, rows, conf))

  private def withLogs(part: SlicePart): PartitionReader[ColumnarBatch] =
    named(ofLogs(part.slice).open(part, conf), part.slice.files)

  private def ofLogs(slice: FileSlice): SliceLogs =
    logs.getOrElse(throw new IllegalStateException(s"INTERNAL: ${slice.fileId} has log files"))

  private def adoptedFiles(skeleton: SliceBase.Skeleton): AdoptedFiles = adopted.fold(
    throw new IllegalStateException(s"INTERNAL: ${skeleton.path} was not known to be adopted")
  )(_.of(skeleton))

  /** Hadoop configuration of the tasks. */
  private[read] def conf: Configuration = parquet.broadcastedConf.value.value

  private def named[T](reader: PartitionReader[T], files: Seq[StoredFile]): PartitionReader[T] =
    new SliceReaderFactory.Named(reader, files.map(_.path), conf)
}

object SliceReaderFactory {

  /** Reader that adds the path to errors of missing and damaged files.
    * @param paths paths of the files that are read */
  private final class Named[T](
      reader: PartitionReader[T],
      paths: Seq[Path],
      conf: Configuration
  ) extends PartitionReader[T] {
    override def next(): Boolean =
      try reader.next()
      catch { case NonFatal(fault) => throw withPath(fault, paths, conf) }

    override def get(): T = reader.get()
    override def close(): Unit = reader.close()
    override def currentMetricsValues(): Array[CustomTaskMetric] = reader.currentMetricsValues()
  }

  /** Reader of the rows of batches. */
  private[read] final class Rows(batches: PartitionReader[ColumnarBatch])
      extends PartitionReader[InternalRow] {
    private var rows: java.util.Iterator[InternalRow] = java.util.Collections.emptyIterator
    private var row = Option.empty[InternalRow]

    override def next(): Boolean = {
      while (!rows.hasNext && batches.next()) rows = batches.get().rowIterator()
      row = Option.when(rows.hasNext)(rows.next())
      row.nonEmpty
    }
    override def get(): InternalRow = row.getOrElse(throw new NoSuchElementException)
    override def close(): Unit = batches.close()
  }

  /** Runs `read`; an error of a missing or damaged file names the file. */
  private[read] def naming[T](path: Path, conf: Configuration)(read: => T): T =
    try read
    catch { case NonFatal(fault) => throw withPath(fault, Seq(path), conf) }

  /** Returns a reader whose errors are as those of [[naming]]. */
  private[read] def named[T](
      reader: PartitionReader[T],
      path: Path,
      conf: Configuration
  ): PartitionReader[T] = new Named(reader, Seq(path), conf)

  private def withPath(fault: Throwable, paths: Seq[Path], conf: Configuration): Throwable = {
    val all = causes(fault)
    val text = all.map(_.getMessage).mkString(" ")
    val path = paths
      .find(p => text.contains(p.toUri.getPath))
      .orElse(paths.find(p => text.contains(p.getName)))
      .orElse(paths.headOption)
      .getOrElse(new Path("unknown"))
    val instant = BaseFileName.parse(path.getName).fold("unknown")(_.instant)
    if (HudiliteException.find(fault).nonEmpty) fault // already a hudilite error
    else
      all.find(_.isInstanceOf[FileNotFoundException])
        .orElse(all.find(_.isInstanceOf[SchemaColumnConvertNotSupportedException]))
        .orElse(all.find(isDamage)).fold(StorageFault.explain(fault)) {
          case other: SchemaColumnConvertNotSupportedException =>
            new HudiliteException(
              "HUDILITE_COLUMN_TYPE_MISMATCH",
              Map(
                "column" -> other.getColumn.stripPrefix("[").stripSuffix("]"),
                "path" -> path.toString,
                "stored" -> other.getPhysicalType,
                "type" -> other.getLogicalType
              ),
              fault
            )
          case absent: FileNotFoundException => LostFile.unopened(path, instant, conf, absent)
          case damage =>
            new HudiliteException(
              "HUDILITE_CORRUPT_DATA_FILE",
              Map("path" -> path.toString, "reason" -> String.valueOf(damage.getMessage)),
              fault
            )
        }
  }

  /** Whether an error shows that a file is damaged. Parquet has no exception class for a file
    * without a valid end, nor for a page with an impossible header; code that
    * decodes pages throws exceptions of general classes for an encoding that the column cannot have.
    */
  private def isDamage(fault: Throwable): Boolean =
    fault.isInstanceOf[EOFException] || fault.isInstanceOf[ChecksumException] ||
      fault.isInstanceOf[IndexOutOfBoundsException] ||
      fault.isInstanceOf[NegativeArraySizeException] ||
      fault.isInstanceOf[NullPointerException] || // a dictionary page that is not one
      fault.isInstanceOf[BufferUnderflowException] ||
      decoders.exists(fault.getClass.getName.startsWith) || isOfDecoder(fault) ||
      Option(fault.getMessage).exists(_.contains("is not a Parquet file"))

  private val decoders =
    Seq("org.apache.parquet.", "shaded.parquet.", "com.github.luben.zstd.", "org.xerial.snappy.")

  /** Whether code of Spark or parquet-java that decodes pages has thrown `fault`, by itself or by
    * a check that it calls. */
  private def isOfDecoder(fault: Throwable): Boolean = fault.isInstanceOf[RuntimeException] &&
    fault.getStackTrace.take(2).map(_.getClassName)
      .exists(name => (sparkDecoders +: decoders).exists(name.startsWith))

  private val sparkDecoders = "org.apache.spark.sql.execution.datasources.parquet."

  private def causes(fault: Throwable): List[Throwable] =
    Iterator.iterate(fault)(_.getCause).takeWhile(Option(_).isDefined).take(20).toList
}
