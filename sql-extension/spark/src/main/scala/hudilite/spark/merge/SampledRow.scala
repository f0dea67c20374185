package hudilite.spark.merge

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  GenericInternalRow,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.types.{BinaryType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.plan.MetaColumns
import hudilite.spark.read.{ChangedRows, SliceReaderFactory}
import hudilite.view.FileSlice

/** Row that a write would change, for a preview.
  * @param kind      one of the kinds of [[ChangedRows]]
  * @param partition partition path of the row
  * @param key       record key; that of an inserted row of a table without key columns is incomplete
  * @param values    an UnsafeRow of the table's columns, as bytes */
final case class SampledRow(kind: String, partition: String, key: String, values: Array[Byte]) {

  /** Returns the values of the table's columns. */
  def row(columns: Int): UnsafeRow = {
    val of = new UnsafeRow(columns)
    of.pointTo(values, values.length)
    of
  }

  def toRow: InternalRow = new GenericInternalRow(
    Array[Any](
      UTF8String.fromString(kind),
      UTF8String.fromString(partition),
      UTF8String.fromString(key),
      values
    )
  )
}

object SampledRow {
  val schema: StructType = new StructType()
    .add("kind", StringType, nullable = false)
    .add("partition", StringType, nullable = false)
    .add("key", StringType, nullable = false)
    .add("values", BinaryType, nullable = false)

  def fromRow(row: InternalRow): SampledRow =
    SampledRow(row.getString(0), row.getString(1), row.getString(2), row.getBinary(3))

  /** Returns a projection of an old row, with its meta columns, to the table's columns.
    * @param schema columns of the table */
  def ofOldRow(schema: StructType): UnsafeProjection = {
    val meta = MetaColumns.before(schema).size - schema.size
    UnsafeProjection.create(schema.zipWithIndex.map { case (field, i) =>
      BoundReference(meta + i, field.dataType, nullable = true)
    })
  }

  /** Returns rows of each kind, those with the least keys; rows of one key stand together.
    * @param most maximum number of rows of each kind */
  def first(rows: Seq[SampledRow], most: Int): Seq[SampledRow] = {
    val kinds = Seq(ChangedRows.Before, ChangedRows.After, ChangedRows.Delete, ChangedRows.Insert)
    kinds
      .flatMap(kind => rows.filter(_.kind == kind).sortBy(place).take(most))
      .sortBy(row => (row.key, kinds.indexOf(row.kind), row.partition))
  }

  private def place(row: SampledRow) = (row.key, row.partition)

  /** Returns some rows of a slice that is deleted as a whole, in any order (task side).
    * @param factory reads all columns, meta columns first
    * @param schema  columns of the table
    * @param most    maximum number of rows */
  def deleted(
      factory: SliceReaderFactory,
      slice: FileSlice,
      schema: StructType,
      most: Int
  ): Seq[SampledRow] = {
    val sample = new GroupSample(slice.partition, schema, most, _ => ())
    val old = BaseFileRows.inAnyOrder(factory, slice, MetaColumns.before(schema),
      UTF8String.EMPTY_UTF8)
    try
      while (old.hasRow && sample.rows.size < most) {
        sample.add(ChangedRows.Delete, old)
        old.advance()
      }
    finally old.close()
    sample.rows
  }
}

/** First rows of each kind that a merge changes in one file group (task side).
  * @param schema columns of the table
  * @param most   maximum number of rows of each kind
  * @param done   receives the rows when the merge of the file group is finished */
final class GroupSample(
    partition: String,
    schema: StructType,
    most: Int,
    done: Seq[SampledRow] => Unit
) {
  private lazy val ofOldRow = SampledRow.ofOldRow(schema)
  private val found = mutable.ArrayBuffer.empty[SampledRow]
  private val counts = mutable.Map.empty[String, Int].withDefaultValue(0)

  def rows: Seq[SampledRow] = found.toSeq

  /** Adds the current old row. It must have all columns of the table, meta columns first. */
  def add(kind: String, old: BaseFileRows): Unit =
    if (isWanted(kind)) append(kind, old.key, ofOldRow(old.row))

  /** @param values values of all table columns */
  def add(kind: String, key: UTF8String, values: UnsafeRow): Unit =
    if (isWanted(kind)) append(kind, key, values)

  /** Ends the file group. Rows of a merge that is given up, and begins again, do not count. */
  def finish(): Unit = done(rows)

  private def isWanted(kind: String): Boolean = counts(kind) < most

  private def append(kind: String, key: UTF8String, values: UnsafeRow): Unit = {
    counts(kind) += 1
    found += SampledRow(kind, partition, key.toString, values.copy().getBytes)
  }
}
