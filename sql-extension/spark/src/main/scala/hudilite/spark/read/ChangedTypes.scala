package hudilite.spark.read

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.parquet.{ParquetColumn, ParquetReadSupport}
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** Columns of which a file has values of other types than those that are read, because the table's
  * schema was changed after the file was written. They are read in the types of the file, then
  * converted (task side).
  * @param wanted columns to read
  * @param stored the same columns, in the types of the file */
private[read] final case class ChangedTypes(wanted: StructType, stored: StructType) {

  /** Whether a filter on a column cannot skip rows of the file: its values have the other type.
    * @param column name of the column, or of a field in it after a dot */
  def contain(column: String): Boolean = names(column.takeWhile(_ != '.'))

  private lazy val names: Set[String] =
    wanted.fields.zip(stored.fields).collect { case (a, b) if a != b => a.name }.toSet

  /** Returns a configuration with which Parquet's reader returns the types of the file. */
  def configured(conf: Configuration): Configuration = {
    val own = new Configuration(conf)
    own.set(ParquetReadSupport.SPARK_ROW_REQUESTED_SCHEMA, stored.json)
    own
  }

  /** Returns a reader of converted batches.
    * @param batches reader with a [[configured]] configuration */
  def converted(batches: PartitionReader[ColumnarBatch]): PartitionReader[ColumnarBatch] =
    new ChangedTypes.Converted(batches, this)

  /** Returns a reader of converted rows. */
  def rows(batches: PartitionReader[ColumnarBatch]): PartitionReader[InternalRow] =
    new SliceReaderFactory.Rows(converted(batches))
}

private[read] object ChangedTypes {

  /** Compares the types of a file with those to read.
    * @return None if no column needs a conversion */
  def of(file: MessageType, wanted: StructType, isCaseSensitive: Boolean): Option[ChangedTypes] = {
    def key(name: String) = if (isCaseSensitive) name else name.toLowerCase(Locale.ROOT)
    val asked = wanted.fieldNames.map(key).toSet
    val columns = file.getFields.asScala.filter(column => asked(key(column.getName))).asJava
    val found = SliceReader.converter(isCaseSensitive)
      .convertParquetColumn(new MessageType(file.getName, columns), Some(wanted))
    val stored = fields(found, wanted, key)
    Option.when(stored != wanted)(ChangedTypes(wanted, stored))
  }

  private def fields(
      found: ParquetColumn,
      wanted: StructType,
      key: String => String
  ): StructType = {
    val there = found.sparkType match {
      case of: StructType => of.fieldNames.toSeq.map(key).zip(found.children).reverse.toMap
      case _ => Map.empty[String, ParquetColumn] // the reverse leaves the first of equal names
    }
    StructType(wanted.map { field =>
      there.get(key(field.name)).fold(field) { column =>
        field.copy(dataType = typeOf(column, field.dataType, key))
      }
    })
  }

  private def typeOf(
      found: ParquetColumn,
      wanted: DataType,
      key: String => String
  ): DataType = (wanted, found.children, found.descriptor) match {
    case (of: StructType, _, None) => fields(found, of, key)
    case (of: ArrayType, Seq(element), _) =>
      of.copy(elementType = typeOf(element, of.elementType, key))
    case (of: MapType, Seq(keys, values), _) =>
      of.copy(keyType = typeOf(keys, of.keyType, key),
        valueType = typeOf(values, of.valueType, key))
    case (_, _, Some(column)) => TypeChange.of(column.getPrimitiveType, wanted).getOrElse(wanted)
    case _ => wanted
  }

  /** Reader of converted batches. The batches of Parquet's reader have the same vectors each time. */
  private final class Converted(batches: PartitionReader[ColumnarBatch], types: ChangedTypes)
      extends PartitionReader[ColumnarBatch] {
    private var source = Option.empty[ColumnarBatch]
    private var batch = new ColumnarBatch(Array.empty[ColumnVector])

    override def next(): Boolean = batches.next()

    override def get(): ColumnarBatch = {
      val read = batches.get()
      if (!source.exists(_ eq read)) {
        source = Some(read)
        batch = new ColumnarBatch(types.wanted.fields.zip(types.stored.fields).zipWithIndex.map {
          case ((to, from), i) => ConvertedVector.of(read.column(i), from.dataType, to.dataType)
        })
      }
      batch.setNumRows(read.numRows)
      batch
    }

    override def close(): Unit = batches.close()
  }
}
