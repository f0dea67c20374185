package hudilite.spark.read

import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  Coalesce,
  Expression,
  Literal,
  UnsafeProjection
}
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.{MetaFields, RecordKey, TableConfig}
import hudilite.spark.plan.{KeyText, RecordKeyOf}

/** Record keys of a table whose files store none, computed from the key columns.
  * @param fields  key columns
  * @param complex whether a key contains the names of its columns
  * Source: merge-on-read §1.3. Deletions in log files have the keys of the key generator. */
private[read] final case class VirtualKeys(fields: Seq[String], complex: Boolean) {

  /** Returns a reader of the same rows with their record keys, if these are among the columns.
    * @param columns columns that `rows` returns: the key columns, too */
  def completed(
      rows: PartitionReader[ColumnarBatch],
      columns: StructType
  ): PartitionReader[ColumnarBatch] = columns.fieldNames.indexOf(MetaFields.RecordKey) match {
    case -1 => rows
    case at =>
      val texts = fields.map { name =>
        val i = columns.fieldIndex(name)
        val text = KeyText.expression(BoundReference(i, columns(i).dataType, nullable = true))
        if (complex) Coalesce(Seq(text, Literal(RecordKey.NullPlaceholder))) else text
      }
      new VirtualKeys.Completed(rows, at, RecordKeyOf(texts, fields, complex, checked = false))
  }

  /** Returns the record key of a row; None if no row can have these values.
    * @param values the key columns with their values, in key order; no NULL */
  def keyOf(values: Seq[(StructField, Any)]): Option[UTF8String] = {
    val texts = values.map { case (column, value) =>
      KeyText.expression(Literal(value, column.dataType))
    }
    Option(RecordKeyOf(texts, fields, complex, checked = false).eval())
      .map(_.asInstanceOf[UTF8String])
  }
}

private[read] object VirtualKeys {

  /** Returns the rule of a table without meta columns; None if record keys do not follow from its
    * columns. */
  def of(config: TableConfig, schema: StructType): Option[VirtualKeys] = {
    val fields = config.recordKeyFields
    def isText(name: String) =
      schema.exists(field => field.name == name && types(field.dataType))
    Option.when(
      fields.nonEmpty && fields.forall(isText) && config.isGeneratorKnown &&
        !config.isKeyEncodingUncertain
    )(VirtualKeys(fields, config.complexKey))
  }

  /** Types of which all parts of stock Hudi write the same text. It writes a DATE as a number, too,
    * and then does not find the row. */
  private val types: Set[DataType] =
    Set(StringType, BooleanType, ByteType, ShortType, IntegerType, LongType)

  /** Reader of batches with the record keys.
    * @param at place of the record keys */
  private final class Completed(
      rows: PartitionReader[ColumnarBatch],
      at: Int,
      key: Expression
  ) extends PartitionReader[ColumnarBatch] {
    private val keyOf = UnsafeProjection.create(Seq(key))
    private var keys = Option.empty[OnHeapColumnVector]
    private var batch = Option.empty[ColumnarBatch]

    override def next(): Boolean = {
      batch = Option.when(rows.next())(withKeys(rows.get()))
      batch.nonEmpty
    }

    override def get(): ColumnarBatch = batch.getOrElse(throw new NoSuchElementException)

    override def close(): Unit = {
      keys.foreach(_.close())
      keys = None
      rows.close()
    }

    private def withKeys(of: ColumnarBatch): ColumnarBatch = {
      keys.foreach(_.close())
      val vector = new OnHeapColumnVector(math.max(1, of.numRows), StringType)
      keys = Some(vector)
      (0 until of.numRows).foreach { row =>
        val key = keyOf(of.getRow(row))
        if (key.isNullAt(0)) vector.putNull(row)
        else vector.putByteArray(row, key.getUTF8String(0).getBytes): Unit
      }
      val columns = Array.tabulate(of.numCols)(i => if (i == at) vector else of.column(i))
      new ColumnarBatch(columns, of.numRows)
    }
  }
}
