package hudilite.spark.bootstrap

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, JoinedRow, UnsafeProjection}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.Ascii
import hudilite.spark.plan.RecordKeyOf
import hudilite.view.FileSlice

/** Reader of the record keys of source files, one file after another. Runs in a task. */
final class SourceKeys(facts: SourceKeyFacts) {
  private val joined = new JoinedRow
  private val texts = facts.texts
  private val names = facts.fields.toArray
  private val isPlainText = facts.isPlainText // computed once, because it is needed for every batch
  private lazy val project = UnsafeProjection.create(
    Seq[Expression](RecordKeyOf(texts, facts.fields, facts.isComplex))
  )

  /** Calls `visit` with the key of each row that has one, and counts the other rows.
    * @param slice  the source file as a slice
    * @param values values of the partition columns
    * Errors: HUDILITE_CORRUPT_DATA_FILE, HUDILITE_MISSING_DATA_FILE. */
  def read(slice: FileSlice, values: InternalRow)(visit: UTF8String => Unit): SourceKeys.Count = {
    val count = new SourceKeys.Count(names.length)
    def take(row: InternalRow): Unit =
      keyOf(row, values).fold(refuse(joined(row, values), count))(visit)
    facts.factory.openBatches(slice) match {
      case Some(reader) =>
        try while (reader.next()) {
            val batch = reader.get()
            if (isPlainText) readTexts(batch, values, count, visit)
            else (0 until batch.numRows).foreach(i => take(batch.getRow(i)))
          }
        finally reader.close()
      case None =>
        val reader = facts.factory.openRows(slice)
        try while (reader.next()) take(reader.get())
        finally reader.close()
    }
    count
  }

  /** Reads the keys of a batch whose only column is the record key. */
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

object SourceKeys {

  /** Count of the rows of a file without a key.
    * @param columns number of key columns */
  final class Count(columns: Int) {

    /** For each key column, the rows in which it is null, or all key columns are null or empty. */
    val nulls: Array[Long] = new Array[Long](columns)

    /** Column and reason of the first value that cannot be part of a key. */
    var invalid: Option[(String, String)] = None
  }
}
