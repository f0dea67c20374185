package hudilite.spark.read

import org.apache.spark.sql.connector.read.{PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import hudilite.format.TableConfig

/** Vectorized reader of base files that do not store the partition columns (task side): their values
  * come from the partition path, all other columns from the file.
  * @param schema columns to read, in this order
  * @param stored reads the columns of the file, in the order of [[PathColumns.stored]] */
private[read] final class PathColumns(
    config: TableConfig,
    schema: StructType,
    stored: PartitionReaderFactory
) extends Serializable {
  private val ofPath = StructType(schema.filter(PathColumns.isOfPath(config, _)))

  /** For each column its place among those of the path, or else among those of the file. */
  private val places: Array[Either[Int, Int]] = {
    val ofFile = PathColumns.stored(config, schema)
    schema.fields.map { field =>
      if (ofPath.contains(field)) Left(ofPath.fieldIndex(field.name))
      else Right(ofFile.fieldIndex(field.name))
    }
  }

  /** Opens a reader of a part of a base file.
    * Errors: HUDILITE_UNSUPPORTED_TABLE if the partition path does not contain the values. */
  def open(part: SlicePart): PartitionReader[ColumnarBatch] = {
    val values = PartitionValues.of(part.slice, config, ofPath)
    val constants = ofPath.indices.map { i =>
      val vector = new ConstantColumnVector(1, ofPath(i).dataType)
      ColumnVectorUtils.populate(vector, values, i)
      vector: ColumnVector
    }
    val rows = stored.createColumnarReader(FilePartition(0, Array(part.file)))
    new PathColumns.Completed(
      rows,
      batch => places.map(_.fold(constants, i => batch.column(i)))
    )
  }
}

private[read] object PathColumns {

  /** Returns the columns that a file stores. */
  def stored(config: TableConfig, schema: StructType): StructType =
    StructType(schema.filterNot(isOfPath(config, _)))

  /** Whether a filter uses only columns that a file stores. */
  def isStored(config: TableConfig, columns: Array[String]): Boolean =
    !columns.exists(name => config.partitionFields.contains(name.takeWhile(_ != '.')))

  private def isOfPath(config: TableConfig, field: StructField): Boolean =
    config.partitionFields.contains(field.name)

  /** Reader of batches with more columns than those of another reader. */
  private final class Completed(
      rows: PartitionReader[ColumnarBatch],
      columns: ColumnarBatch => Array[ColumnVector]
  ) extends PartitionReader[ColumnarBatch] {
    override def next(): Boolean = rows.next()
    override def get(): ColumnarBatch = {
      val batch = rows.get()
      new ColumnarBatch(columns(batch), batch.numRows)
    }
    override def close(): Unit = rows.close()
  }
}
