package hudilite.spark.read

import java.io.FileNotFoundException

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetPartitionReaderFactory
import org.apache.spark.sql.vectorized.ColumnarBatch

import hudilite.error.HudiliteException
import hudilite.format.BaseFileName

/** Spark's Parquet readers, with a missing base file told as what it is: part of a snapshot that
  * somebody cleaned away. Runs in tasks.
  */
final class SliceReaderFactory(parquet: ParquetPartitionReaderFactory)
    extends PartitionReaderFactory {

  override def supportColumnarReads(partition: InputPartition): Boolean =
    parquet.supportColumnarReads(partition)

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new SliceReaderFactory.Named(parquet.createReader(partition), partition)

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    new SliceReaderFactory.Named(parquet.createColumnarReader(partition), partition)
}

object SliceReaderFactory {

  private final class Named[T](reader: PartitionReader[T], partition: InputPartition)
      extends PartitionReader[T] {
    override def next(): Boolean =
      try reader.next()
      catch { case NonFatal(fault) => throw told(fault, partition) }

    override def get(): T = reader.get()
    override def close(): Unit = reader.close()
    override def currentMetricsValues(): Array[CustomTaskMetric] = reader.currentMetricsValues()
  }

  private def told(fault: Throwable, partition: InputPartition): Throwable =
    if (causes(fault).exists(_.isInstanceOf[FileNotFoundException]))
      missing(fault, partition)
    else fault

  private def missing(fault: Throwable, partition: InputPartition): Throwable = {
    val text = causes(fault).map(_.getMessage).mkString(" ")
    val path = partition match {
      case FilePartition(_, files) =>
        files
          .map(_.toPath)
          .find(p => text.contains(p.getName))
          .orElse(files.headOption.map(_.toPath))
      case _ => None
    }
    val instant = path.flatMap(p => BaseFileName.parse(p.getName)).map(_.instant)
    new HudiliteException(
      "HUDILITE_MISSING_DATA_FILE",
      Map(
        "path" -> path.fold("unknown")(_.toString),
        "instant" -> instant.getOrElse("unknown")
      ),
      fault
    )
  }

  private def causes(fault: Throwable): List[Throwable] =
    Iterator.iterate(fault)(_.getCause).takeWhile(Option(_).isDefined).take(20).toList
}
