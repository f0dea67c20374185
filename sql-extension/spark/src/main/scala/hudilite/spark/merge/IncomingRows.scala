package hudilite.spark.merge

import scala.collection.BufferedIterator

import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  GenericInternalRow,
  JoinedRow,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.types.{BooleanType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Sorter of rows that are new to their partition: inserted, or moved there from another partition
  * (task side).
  *
  * Collects rows for all partitions of a bucket, then returns them by partition path and record
  * key.
  */
final class IncomingRows(table: StructType) {
  private val schema = StructType(
    new StructType()
      .add("partition", StringType, nullable = false)
      .add("key", StringType, nullable = false)
      .add("moved", BooleanType, nullable = false)
      .fields ++ table.fields
  )
  private val sorter = SpillingSort.open(schema, Seq(0, 1))
  private val projection = UnsafeProjection.create(schema.fields.map(_.dataType))
  private val head = new GenericInternalRow(3)
  private val joined = new JoinedRow
  private lazy val rows: BufferedIterator[UnsafeRow] = SpillingSort.drain(sorter).buffered

  def add(partition: UTF8String, key: UTF8String, moved: Boolean, values: UnsafeRow): Unit = {
    head.update(0, partition)
    head.update(1, key)
    head.update(2, moved)
    sorter.insertRow(projection(joined(head, values)))
  }

  /** Returns the partition of the next row. The first call sorts the rows, so all must be added
    * before. */
  def nextPartition: Option[UTF8String] =
    if (rows.hasNext) Some(rows.head.getUTF8String(0).clone()) else None

  /** Returns the rows of `partition`, which must not be greater than [[nextPartition]]. */
  def of(partition: UTF8String): KeyOrderedRows =
    KeyOrderedRows.headOf(rows, 1)(_.getUTF8String(0) == partition)
}

object IncomingRows {
  private val leading = 3

  /** Position of the record key. */
  val keyAt: Int = 1

  def isMove(arrival: UnsafeRow): Boolean = arrival.getBoolean(2)

  /** Returns a projection from an arriving row to its table columns. */
  def values(table: StructType): UnsafeProjection =
    UnsafeProjection.create(table.fields.toSeq.zipWithIndex.map { case (field, i) =>
      BoundReference(leading + i, field.dataType, field.nullable)
    })
}
