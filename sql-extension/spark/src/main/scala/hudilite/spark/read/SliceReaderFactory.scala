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
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}
import org.apache.spark.sql.vectorized.ColumnarBatch

import hudilite.error.HudiliteException
import hudilite.format.BaseFileName
import hudilite.view.{FileSlice, LostFile, OpenedFile, SourceFile}

/** Factory of Spark's Parquet readers of file slices (task side). A missing or damaged base file
  * fails with a hudilite condition, such as HUDILITE_MISSING_DATA_FILE or
  * HUDILITE_CORRUPT_DATA_FILE.
  */
final class SliceReaderFactory(
    parquet: ParquetPartitionReaderFactory,
    adopted: Option[AdoptedReaders]
) extends PartitionReaderFactory {
  // Computed on the driver: the session's settings are not sent to tasks.
  private val settings = BatchSettings.of(parquet.sqlConf)
  private val groupFilters = RowGroupFilters.of(parquet.sqlConf, parquet.filters.toSeq)

  override def supportColumnarReads(partition: InputPartition): Boolean =
    parquet.supportColumnarReads(filesOf(partition))

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
    new SliceReaderFactory.Named(
      new RowGroupBatches(settings, conf, opened, rowGroup),
      Seq(slice.path),
      conf
    )

  /** Returns a function: whether a row group may contain rows that pass the filters. */
  def mayPass(opened: OpenedFile): BlockMetaData => Boolean = {
    if (groupFilters.filters.isEmpty) _ => true
    else {
      val kept = groupFilters.kept(opened.reader)
      block => kept(block.getStartingPos)
    }
  }

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] = {
    val files = filesOf(partition)
    named(each(files)(parquet.createReader, new SliceReaderFactory.Rows(_)), files)
  }

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] = {
    val files = filesOf(partition)
    named(each(files)(parquet.createColumnarReader, identity), files)
  }

  private def filesOf(partition: InputPartition): InputPartition = partition match {
    case GroupedFiles(files, _) => files
    case other => other
  }

  /** Reads an input partition with adopted files file by file, any other at once. */
  private def each[T](partition: InputPartition)(
      plain: InputPartition => PartitionReader[T],
      ofAdopted: PartitionReader[ColumnarBatch] => PartitionReader[T]
  ): PartitionReader[T] = partition match {
    case FilePartition(index, files) if files.exists(sliceOf(_).nonEmpty) =>
      new InTurn(files.iterator.map { file =>
        sliceOf(file).fold(plain(FilePartition(index, Array(file)))) { slice =>
          val files = adopted.getOrElse(
            throw new IllegalStateException(s"INTERNAL: ${slice.path} was not known to be adopted")
          )
          val paths = Seq(slice.path, SourceFile.of(slice).path)
          new SliceReaderFactory.Named(ofAdopted(files.of(slice).open(file, slice, conf)), paths,
            conf)
        }
      })
    case _ => plain(partition)
  }

  private def sliceOf(file: PartitionedFile): Option[FileSlice] =
    file.otherConstantMetadataColumnValues.get(AdoptedFiles.slice).collect {
      case slice: FileSlice => slice
    }

  /** Hadoop configuration of the tasks. */
  private[read] def conf: Configuration = parquet.broadcastedConf.value.value

  private def named[T](reader: PartitionReader[T], partition: InputPartition): PartitionReader[T] =
    new SliceReaderFactory.Named(
      reader,
      partition match {
        case FilePartition(_, files) => files.toSeq.map(_.toPath)
        case _ => Seq.empty
      },
      conf
    )
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
      catch { case NonFatal(fault) => throw told(fault, paths, conf) }

    override def get(): T = reader.get()
    override def close(): Unit = reader.close()
    override def currentMetricsValues(): Array[CustomTaskMetric] = reader.currentMetricsValues()
  }

  /** Reader of the rows of batches. */
  private final class Rows(batches: PartitionReader[ColumnarBatch])
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

  private def told(fault: Throwable, paths: Seq[Path], conf: Configuration): Throwable = {
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
      all.find(_.isInstanceOf[FileNotFoundException]).orElse(all.find(isDamage)).fold(fault) {
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
    * without a valid end, nor for a page with an impossible header. */
  private def isDamage(fault: Throwable): Boolean =
    fault.isInstanceOf[EOFException] || fault.isInstanceOf[ChecksumException] ||
      fault.isInstanceOf[IndexOutOfBoundsException] ||
      fault.isInstanceOf[NegativeArraySizeException] ||
      fault.isInstanceOf[NullPointerException] || // a dictionary page that is not one
      fault.isInstanceOf[BufferUnderflowException] ||
      decoders.exists(fault.getClass.getName.startsWith) ||
      Option(fault.getMessage).exists(_.contains("is not a Parquet file"))

  private val decoders =
    Seq("org.apache.parquet.", "shaded.parquet.", "com.github.luben.zstd.", "org.xerial.snappy.")

  private def causes(fault: Throwable): List[Throwable] =
    Iterator.iterate(fault)(_.getCause).takeWhile(Option(_).isDefined).take(20).toList
}
