package hudilite.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  EqualTo,
  Expression,
  IsNotNull,
  Literal
}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.TableConfig

/** Condition that a row has one record key: a value for each key column. The readers evaluate it, so
  * that a query of one key needs no filter of Spark, which compiles code for each value; that
  * takes a good part of the time of such a query.
  * @param columns the key columns
  * @param values  their values, as Spark represents them in rows; no NULL */
private[read] final case class KeyCondition(columns: Seq[StructField], values: Seq[Any]) {

  /** Whether a filter is a part of the condition, or follows from it. */
  def decides(filter: Expression): Boolean = filter match {
    case KeyCondition.Equality(column, value) =>
      columns.zip(values).exists { case (key, of) => key.name == column.name && of == value }
    case IsNotNull(column: Attribute) => columns.exists(_.name == column.name)
    case _ => false
  }

  /** Returns columns to read, with the key columns that are not among them at the end. */
  def added(wanted: StructType): StructType =
    StructType(wanted ++ columns.filterNot(key => wanted.fieldNames.contains(key.name)))

  /** Returns a factory of readers of the rows with the key.
    * @param all    factory of readers of all rows
    * @param wanted columns to return; `all` reads them, and then those of [[added]] */
  def readers(all: PartitionReaderFactory, wanted: StructType): PartitionReaderFactory = {
    val places = columns.map(key => added(wanted).fieldIndex(key.name))
    new KeyReaderFactory(all, places.toArray, columns.map(_.dataType).toArray, values.toArray,
      wanted.size)
  }
}

private[read] object KeyCondition {

  /** Returns the condition of a query, if it has a value for each key column and each value's type is
    * one that is compared as it is stored: whole numbers, dates, timestamps, and strings without a
    * collation.
    * @param schema  columns of the table
    * @param filters predicates that are all true for a wanted row */
  def of(
      config: TableConfig,
      schema: StructType,
      filters: Seq[Expression]
  ): Option[KeyCondition] = {
    val columns = config.recordKeyFields.map(name => schema.find(_.name == name).filter(isPlain))
    val values = filters.collect { case Equality(column, value) => column.name -> value }.toMap
    Option.when(
      columns.nonEmpty && columns.forall(_.exists(column => values.contains(column.name)))
    ) {
      KeyCondition(columns.flatten, columns.flatten.map(column => values(column.name)))
    }
  }

  /** Matches `column = value`, and extracts both. */
  private object Equality {
    def unapply(filter: Expression): Option[(Attribute, Any)] = filter match {
      case EqualTo(column: Attribute, value: Literal) => of(column, value)
      case EqualTo(value: Literal, column: Attribute) => of(column, value)
      case _ => None
    }

    private def of(column: Attribute, literal: Literal): Option[(Attribute, Any)] =
      Option(literal.value).filter(_ => literal.dataType == column.dataType).map(column -> _)
  }

  private def isPlain(column: StructField): Boolean = column.dataType match {
    case ByteType | ShortType | IntegerType | LongType | DateType | TimestampType |
        TimestampNTZType => true
    case StringType => CharVarcharUtils.getRawType(column.metadata).isEmpty
    case _ => false
  }
}

/** Factory of readers of the rows with one record key (task side).
  * @param all    factory of readers of all rows
  * @param places indexes of the key columns in these rows
  * @param types  their types
  * @param values value of each key column
  * @param wanted number of columns that are returned, the first ones; a reader of single rows may
  *               return more */
private final class KeyReaderFactory(
    all: PartitionReaderFactory,
    places: Array[Int],
    types: Array[DataType],
    values: Array[Any],
    wanted: Int
) extends PartitionReaderFactory {
  override def supportColumnarReads(partition: InputPartition): Boolean =
    all.supportColumnarReads(partition)

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    new Remaining(all.createColumnarReader(partition), others, wanted, inOrder = true)

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] = {
    val rows = all.createReader(partition)
    new PartitionReader[InternalRow] {
      override def next(): Boolean = {
        var found = false
        while (!found && rows.next()) found = hasKey(rows.get())
        found
      }
      override def get(): InternalRow = rows.get()
      override def close(): Unit = rows.close()
    }
  }

  /** Writes the indexes of the rows with other keys into an array, and returns their number. */
  private def others(batch: ColumnarBatch)(rows: Array[Int]): Int = {
    val keys = places.map(batch.column)
    var (row, count) = (0, 0)
    while (row < batch.numRows) {
      if (!hasKey(keys, row)) {
        rows(count) = row
        count += 1
      }
      row += 1
    }
    count
  }

  private def hasKey(keys: Array[ColumnVector], row: Int): Boolean = {
    var i = 0
    while (i < keys.length && !keys(i).isNullAt(row) && isValue(keys(i), row, values(i))) i += 1
    i == keys.length
  }

  private def isValue(keys: ColumnVector, row: Int, value: Any): Boolean = value match {
    case long: Long => keys.getLong(row) == long
    case int: Int => keys.getInt(row) == int
    case text: UTF8String => keys.getUTF8String(row) == text
    case short: Short => keys.getShort(row) == short
    case byte: Byte => keys.getByte(row) == byte
    case other => throw new IllegalStateException(s"INTERNAL: $other is no value of a plain key")
  }

  private def hasKey(row: InternalRow): Boolean =
    places.indices.forall(i =>
      !row.isNullAt(places(i)) && row.get(places(i), types(i)) == values(i)
    )
}
