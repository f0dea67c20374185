package hudilite.spark.read

import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetPartitionReaderFactory
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import hudilite.format.TableConfig
import hudilite.view.FileSlice

/** Vectorized reader of base files that do not store the partition columns (task side): their values
  * come from the partition path, all other columns from the file.
  * @param schema columns to read, in this order
  * @param stored reads the columns of the file, in the order of [[PathColumns.stored]] */
private[read] final class PathColumns(
    config: TableConfig,
    schema: StructType,
    private[read] val stored: ParquetPartitionReaderFactory
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
  def open(part: SlicePart): PartitionReader[ColumnarBatch] =
    completed(part.slice, stored.createColumnarReader(FilePartition(0, Array(part.file))))

  /** Returns a reader of the same rows with all columns.
    * @param rows reader of columns of the file, in the order of [[PathColumns.stored]]
    * Errors: HUDILITE_UNSUPPORTED_TABLE if the partition path does not contain the values. */
  def completed(
      slice: FileSlice,
      rows: PartitionReader[ColumnarBatch]
  ): PartitionReader[ColumnarBatch] = {
    val values = PartitionValues.of(slice, config, ofPath)
    val constants = ofPath.indices.map { i =>
      val vector = new ConstantColumnVector(1, ofPath(i).dataType)
      ColumnVectorUtils.populate(vector, values, i)
      vector: ColumnVector
    }
    new PathColumns.Completed(
      rows,
      batch => places.map(_.fold(constants, i => batch.column(i)))
    )
  }
}

private[spark] object PathColumns {

  /** Returns the columns that base files of a table store. */
  def stored(config: TableConfig, schema: StructType): StructType =
    if (!config.dropsPartitionColumns) schema
    else StructType(schema.filterNot(isOfPath(config, _)))

  /** Returns the filters that use only columns that base files of a table store. */
  private[read] def usable(config: TableConfig, filters: Array[Filter]): Array[Filter] =
    filters.filterNot(_.references.exists(name => isOfPath(config, name.takeWhile(_ != '.'))))

  /** Whether base files of a table do not store a column. */
  def isOfPath(config: TableConfig, column: String): Boolean =
    config.dropsPartitionColumns && config.partitionFields.contains(column)

  private def isOfPath(config: TableConfig, field: StructField): Boolean =
    isOfPath(config, field.name)

  /** Reader of batches with more columns than those of another reader. */
  private[read] final class Completed(
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
