package hudilite.procedures

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  Expression,
  JoinedRow,
  UnsafeProjection
}
import org.apache.spark.sql.connector.read.PartitionReaderFactory
import org.apache.spark.sql.execution.datasources.FilePartition
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.Ascii
import hudilite.spark.exec.RecordKeyOf
import hudilite.spark.plan.KeyText
import hudilite.spark.read.SliceReader
import hudilite.view.FileSlice

/** How rows of a source give record keys.
  * @param fields     key columns in key order
  * @param isComplex  whether a key is stored as `f:v,f2:v2`
  * @param columns    those of the key that the files hold
  * @param partitions partition columns of the source's folders
  * @param factory    reads `columns` */
private[procedures] final case class SourceKeyFacts(
    table: String,
    fields: Seq[String],
    isComplex: Boolean,
    columns: StructType,
    partitions: StructType,
    factory: PartitionReaderFactory
) {

  /** Texts of the key columns of a row with the files' key columns, then the partition's values. */
  def texts: Seq[Expression] = fields.map { name =>
    val all = columns.fields ++ partitions.fields
    val at = all.indexWhere(_.name == name)
    KeyText.expression(BoundReference(at, all(at).dataType, nullable = true))
  }

  /** Whether the key is the text of one column of the files as it stands. */
  def isPlainText: Boolean = !isComplex && columns.map(_.dataType) == Seq(StringType) &&
    fields == columns.fieldNames.toSeq
}

/** Reads the record keys of source files, one file after another (task side). */
private[procedures] final class SourceKeys(facts: SourceKeyFacts) {
  private val joined = new JoinedRow
  private val texts = facts.texts
  private val names = facts.fields.toArray
  private val isPlainText = facts.isPlainText // asked for every row
  private lazy val project = UnsafeProjection.create(
    Seq[Expression](RecordKeyOf(texts, facts.fields, facts.isComplex))
  )

  /** Calls `visit` with the key of each row until there is one without; those are counted only.
    * @param slice  of the source itself
    * @param values of the partition columns
    * Errors: HUDILITE_CORRUPT_DATA_FILE, HUDILITE_MISSING_DATA_FILE. */
  def read(slice: FileSlice, values: InternalRow)(visit: UTF8String => Unit): SourceKeys.Count = {
    val count = new SourceKeys.Count(names.length)
    val partition = FilePartition(0, Array(SliceReader.partitionedFile(slice)))
    def take(row: InternalRow): Unit = {
      count.rows += 1
      keyOf(row, values).fold(refuse(joined(row, values), count))(visit)
    }
    if (facts.factory.supportColumnarReads(partition)) {
      val reader = facts.factory.createColumnarReader(partition)
      try while (reader.next()) {
          val batch = reader.get()
          if (isPlainText) readTexts(batch, values, count, visit)
          else (0 until batch.numRows).foreach(i => take(batch.getRow(i)))
        }
      finally reader.close()
    } else {
      val reader = facts.factory.createReader(partition)
      try while (reader.next()) take(reader.get())
      finally reader.close()
    }
    count
  }

  /** The keys of a batch whose only column they are. */
  private def readTexts(
      batch: ColumnarBatch,
      values: InternalRow,
      count: SourceKeys.Count,
      visit: UTF8String => Unit
  ): Unit = {
    val column = batch.column(0)
    val rows = batch.numRows
    var i = 0
    while (i < rows) {
      val key = if (column.isNullAt(i)) UTF8String.EMPTY_UTF8 else column.getUTF8String(i)
      if (key.numBytes > 0 && (Ascii.isAll(key) || key.isValid)) visit(key)
      else refuse(joined(batch.getRow(i), values), count)
      i += 1
    }
    count.rows += rows
  }

  private def keyOf(row: InternalRow, values: InternalRow): Option[UTF8String] = {
    val key = project(joined(row, values))
    Option.when(!key.isNullAt(0))(key.getUTF8String(0))
  }

  private def refuse(row: InternalRow, count: SourceKeys.Count): Unit = {
    val found = texts.map(_.eval(row)).collect {
      case text: UTF8String => Option(text)
      case _ => None
    }.map(_.orNull).toArray
    val empty = found.indices.filter(i => Option(found(i)).forall(_.numBytes == 0))
    val areAllEmpty = empty.size == found.length
    val lacking = empty.filter(i => areAllEmpty || Option(found(i)).isEmpty)
    lacking.foreach(i => count.nulls(i) += 1)
    if (lacking.isEmpty && count.invalid.isEmpty) {
      val fault = RecordKeyOf.fault(found, names, facts.isComplex, facts.table)
      count.invalid = Some(fault.parameters("column") -> fault.parameters("reason"))
    }
  }
}

private[procedures] object SourceKeys {

  /** Rows of a file, and those that have no key.
    * @param columns number of key columns */
  final class Count(columns: Int) {
    var rows: Long = 0L

    /** Rows in which a key column is null, or all are empty texts. */
    val nulls: Array[Long] = new Array[Long](columns)

    /** Column of the first value that cannot be part of a key, and why. */
    var invalid: Option[(String, String)] = None

    /** Whether a row was met that has no key. */
    def isSpoiled: Boolean = nulls.exists(_ > 0) || invalid.nonEmpty
  }
}
