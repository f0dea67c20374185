package hudilite.spark.read

import java.io.{EOFException, FileNotFoundException}
import java.nio.BufferUnderflowException

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{ChecksumException, Path}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetPartitionReaderFactory
import org.apache.spark.sql.vectorized.ColumnarBatch

import hudilite.error.HudiliteException
import hudilite.format.BaseFileName
import hudilite.io.Storage

/** Spark's Parquet readers, with a missing or damaged base file told as what it is. Runs in
  * tasks.
  */
final class SliceReaderFactory(parquet: ParquetPartitionReaderFactory)
    extends PartitionReaderFactory {

  override def supportColumnarReads(partition: InputPartition): Boolean =
    parquet.supportColumnarReads(partition)

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    named(parquet.createReader(partition), partition)

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    named(parquet.createColumnarReader(partition), partition)

  private def named[T](reader: PartitionReader[T], partition: InputPartition): PartitionReader[T] =
    new SliceReaderFactory.Named(reader, partition, parquet.broadcastedConf.value.value)
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
