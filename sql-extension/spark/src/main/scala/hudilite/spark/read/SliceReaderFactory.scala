package hudilite.spark.read

import java.io.{EOFException, FileNotFoundException}
import java.nio.BufferUnderflowException

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{ChecksumException, Path}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetPartitionReaderFactory
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}
import org.apache.spark.sql.vectorized.ColumnarBatch

import hudilite.error.HudiliteException
import hudilite.format.BaseFileName
import hudilite.io.Storage
import hudilite.view.FileSlice

/** Spark's Parquet readers, with a missing or damaged base file told as what it is. Runs in
  * tasks.
  */
final class SliceReaderFactory(
    parquet: ParquetPartitionReaderFactory,
    adopted: Option[AdoptedFiles]
) extends PartitionReaderFactory {

  override def supportColumnarReads(partition: InputPartition): Boolean =
    parquet.supportColumnarReads(partition)

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    named(
      each(partition)(parquet.createReader, new SliceReaderFactory.Rows(_)),
      partition
    )

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    named(each(partition)(parquet.createColumnarReader, identity), partition)

  /** Files of one kind are read at once, a partition with adopted ones file by file. */
  private def each[T](partition: InputPartition)(
      plain: InputPartition => PartitionReader[T],
      ofAdopted: PartitionReader[ColumnarBatch] => PartitionReader[T]
  ): PartitionReader[T] = partition match {
    case FilePartition(index, files) if files.exists(sliceOf(_).nonEmpty) =>
      new SliceReaderFactory.InTurn(files.iterator.map { file =>
        (for {
          slice <- sliceOf(file)
          of <- adopted
        } yield ofAdopted(of.open(file, slice, conf)))
          .getOrElse(plain(FilePartition(index, Array(file))))
      })
    case _ => plain(partition)
  }

  private def sliceOf(file: PartitionedFile): Option[FileSlice] =
    file.otherConstantMetadataColumnValues.get(AdoptedFiles.slice).collect {
      case slice: FileSlice => slice
    }

  private def conf: Configuration = parquet.broadcastedConf.value.value

  private def named[T](reader: PartitionReader[T], partition: InputPartition): PartitionReader[T] =
    new SliceReaderFactory.Named(reader, partition, conf)
}

object SliceReaderFactory {

  private final class Named[T](
      reader: PartitionReader[T],
      partition: InputPartition,
      conf: Configuration
  ) extends PartitionReader[T] {
    override def next(): Boolean =
      try reader.next()
      catch { case NonFatal(fault) => throw told(fault, partition, conf) }

    override def get(): T = reader.get()
    override def close(): Unit = reader.close()
    override def currentMetricsValues(): Array[CustomTaskMetric] = reader.currentMetricsValues()
  }

  /** Readers one after another, each opened when the one before it is at its end. */
  private final class InTurn[T](readers: Iterator[PartitionReader[T]]) extends PartitionReader[T] {
    private var current = Option.empty[PartitionReader[T]]

    override def next(): Boolean = {
      var more = current.exists(_.next())
      while (!more && readers.hasNext) {
        close()
        current = Some(readers.next())
        more = current.exists(_.next())
      }
      more
    }
    override def get(): T = current.map(_.get()).getOrElse(throw new NoSuchElementException)
    override def close(): Unit = current.foreach(_.close())
  }

  /** The rows of batches. */
  private final class Rows(batches: PartitionReader[ColumnarBatch])
      extends PartitionReader[InternalRow] {
    private var rows: java.util.Iterator[InternalRow] = java.util.Collections.emptyIterator

    override def next(): Boolean = {
      while (!rows.hasNext && batches.next()) rows = batches.get().rowIterator()
      rows.hasNext
    }
    override def get(): InternalRow = rows.next()
    override def close(): Unit = batches.close()
  }

  private def told(fault: Throwable, partition: InputPartition, conf: Configuration): Throwable = {
    val path = fileOf(fault, partition).getOrElse(new Path("unknown"))
    val instant = BaseFileName.parse(path.getName).fold("unknown")(_.instant)
    val all = causes(fault)
    all.find(_.isInstanceOf[FileNotFoundException]).orElse(all.find(isDamage)).fold(fault) {
      case absent: FileNotFoundException => Storage.unopened(path, instant, conf, absent)
      case damage =>
        new HudiliteException(
          "HUDILITE_CORRUPT_DATA_FILE",
          Map("path" -> path.toString, "reason" -> String.valueOf(damage.getMessage)),
          fault
        )
    }
  }

  /** Parquet has no exception of its own for a file that does not end as one, nor for a page whose
    * header says what cannot be. */
  private def isDamage(fault: Throwable): Boolean =
    fault.isInstanceOf[EOFException] || fault.isInstanceOf[ChecksumException] ||
      fault.isInstanceOf[IndexOutOfBoundsException] ||
      fault.isInstanceOf[NegativeArraySizeException] ||
      fault.isInstanceOf[NullPointerException] || // a dictionary page that is none
      fault.isInstanceOf[BufferUnderflowException] ||
      decoders.exists(fault.getClass.getName.startsWith) ||
      Option(fault.getMessage).exists(_.contains("is not a Parquet file"))

  private val decoders =
    Seq("org.apache.parquet.", "shaded.parquet.", "com.github.luben.zstd.", "org.xerial.snappy.")

  /** The file of the partition that the fault names, or its first. */
  private def fileOf(fault: Throwable, partition: InputPartition): Option[Path] = {
    val text = causes(fault).map(_.getMessage).mkString(" ")
    partition match {
      case FilePartition(_, files) =>
        val paths = files.map(_.toPath)
        paths.find(p => text.contains(p.getName)).orElse(paths.headOption)
      case _ => None
    }
  }

  private def causes(fault: Throwable): List[Throwable] =
    Iterator.iterate(fault)(_.getCause).takeWhile(Option(_).isDefined).take(20).toList
}
