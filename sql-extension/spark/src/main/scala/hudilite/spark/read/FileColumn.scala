package hudilite.spark.read

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, Literal}
import org.apache.spark.sql.connector.catalog.MetadataColumn
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.types.{DataType, LongType, StructField, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import hudilite.io.Storage

/** Metadata column `_metadata` of Spark's file sources, in a read that asks for it (task side): for each
  * row, the file that has its data. That is the base file, the source file of a bootstrap or the log
  * file. Only rows of Parquet files have a row index.
  * @param at     index of the column among those that are returned
  * @param fields fields of it that are returned
  * @param others the other columns that are returned */
private[spark] final case class FileColumn(at: Int, fields: StructType, others: StructType) {
  import FileColumn._

  private val isNumbered = fields.fieldNames.contains(ParquetFileFormat.ROW_INDEX)

  /** Columns to read: the others, then the row index if that is asked for. */
  def stored: StructType = if (isNumbered) others.add(rowIndex) else others

  /** Returns a reader of the same rows with the column.
    * @param file       file with the rows, and the range of it that is read
    * @param isOfFile   whether the row indexes of the batches are those of the file
    * @param rows       reader of the columns [[stored]] */
  def completed(
      file: PartitionedFile,
      isOfFile: Boolean,
      rows: PartitionReader[ColumnarBatch],
      conf: Configuration
  ): PartitionReader[ColumnarBatch] = {
    val known = if (fields.fieldNames.contains(modified)) dated(file, conf) else file
    val constants = fields.map(field => constant(field, known, isOfFile))
    new PathColumns.Completed(
      rows,
      batch => {
        val children = constants.map(_.getOrElse(batch.column(others.size)))
        val of = new Vector(fields, children.toArray)
        val columns = Array.tabulate(others.size)(batch.column)
        columns.patch(at, Seq(of), 0)
      }
    )
  }

  /** Vector of a field with one value in all rows; None for the row index of each row. */
  private def constant(
      field: StructField,
      file: PartitionedFile,
      isOfFile: Boolean
  ): Option[ColumnVector] =
    Option.when(field.name != ParquetFileFormat.ROW_INDEX || !isOfFile) {
      val vector = new ConstantColumnVector(1, field.dataType)
      FileFormat.BASE_METADATA_EXTRACTORS.get(field.name).fold(vector.setNull()) { valueOf =>
        val value = Literal(valueOf(file)).value
        ColumnVectorUtils.populate(vector, InternalRow(value), 0)
      }
      vector
    }
}

private[spark] object FileColumn {

  /** Name of the column. */
  val name: String = FileFormat.METADATA_NAME

  private val modified = FileFormat.FILE_MODIFICATION_TIME

  /** Column of Spark's reader for the position of a row in its file. */
  private[read] val rowIndex: StructField =
    StructField(ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME, LongType)

  private val all: StructType = StructType(
    FileFormat.BASE_METADATA_FIELDS.map(field =>
      StructField(field.name, field.dataType, field.nullable)
    ) :+
      StructField(ParquetFileFormat.ROW_INDEX, LongType)
  )

  /** The column of a table, with all fields. */
  val ofTable: MetadataColumn = new MetadataColumn {
    override def name: String = FileColumn.name
    override def dataType: DataType = all
    override def isNullable: Boolean = false
    override def comment: String = "file that has the row"
  }

  /** Returns the column if it is among those to read; a column of the table hides it.
    * @param table columns of the table
    * @param asked columns to read */
  def of(table: StructType, asked: StructType): Option[FileColumn] =
    asked.fields.zipWithIndex.collectFirst {
      case (StructField(`name`, fields: StructType, _, _), at)
          if !table.fieldNames.contains(name) =>
        FileColumn(at, fields, StructType(asked.patch(at, Nil, 1)))
    }

  /** Whether a filter uses the column.
    * @param table columns of the table */
  def isIn(filter: Expression, table: StructType): Boolean =
    !table.fieldNames.contains(name) && filter.exists {
      case column: AttributeReference => column.name == name
      case _ => false
    }

  /** Looks up when a file was modified.
    * Errors: HUDILITE_MISSING_DATA_FILE. */
  private def dated(file: PartitionedFile, conf: Configuration): PartitionedFile =
    SliceReaderFactory.naming(file.toPath, conf) {
      val entry = Storage.of(file.toPath, conf).status(file.toPath)
      file.copy(modificationTime =
        entry.getOrElse(
          throw new java.io.FileNotFoundException(file.toPath.toString)
        ).modifiedMillis
      )
    }

  /** Vector of structs without null.
    * @param children vectors of the fields */
  private final class Vector(fields: StructType, children: Array[ColumnVector])
      extends RefusingVector(fields) {
    override def getChild(ordinal: Int): ColumnVector = children(ordinal)
    override def hasNull: Boolean = false
    override def numNulls: Int = 0
    override def isNullAt(row: Int): Boolean = false
    override protected def none: Nothing =
      throw new UnsupportedOperationException("INTERNAL: it holds structs")
  }
}
