package hudilite.spark.merge

import scala.collection.BufferedIterator

import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  GenericInternalRow,
  JoinedRow,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.types.{BooleanType, IntegerType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Sorter of rows that are new to their partition: inserted, or moved there from another partition
  * (task side).
  *
  * Collects rows for all partitions of a bucket, then returns them by partition path, number of the
  * bucket there and record key.
  */
final class IncomingRows(table: StructType) {
  private val schema = StructType(
    new StructType()
      .add("partition", StringType, nullable = false)
      .add("bucket", IntegerType, nullable = false)
      .add("key", StringType, nullable = false)
      .add("moved", BooleanType, nullable = false)
      .fields ++ table.fields
  )
  private val sorter = SpillingSort.open(schema, Seq(0, 1, 2))
  private val projection = UnsafeProjection.create(schema.fields.map(_.dataType))
  private val head = new GenericInternalRow(IncomingRows.leading)
  private val joined = new JoinedRow
  private lazy val rows: BufferedIterator[UnsafeRow] = SpillingSort.drain(sorter).buffered

  def add(place: BucketPlace, key: UTF8String, moved: Boolean, values: UnsafeRow): Unit = {
    head.update(0, place.partition)
    head.update(1, place.number)
    head.update(IncomingRows.keyAt, key)
    head.update(IncomingRows.movedAt, moved)
    sorter.insertRow(projection(joined(head, values)))
  }

  /** Returns the bucket of the next row. The first call sorts the rows, so all must be added
    * before. */
  def nextPlace: Option[BucketPlace] =
    if (rows.hasNext) Some(BucketPlace(rows.head.getUTF8String(0).clone(), rows.head.getInt(1)))
    else None

  /** Returns the rows of a bucket, which must not be greater than [[nextPlace]]. */
  def of(place: BucketPlace): KeyOrderedRows =
    KeyOrderedRows.headOf(rows, IncomingRows.keyAt) { row =>
      row.getInt(1) == place.number && row.getUTF8String(0) == place.partition
    }
}

object IncomingRows {
  private val leading = 4
  private val movedAt = 3

  /** Position of the record key. */
  val keyAt: Int = 2

  def isMove(arrival: UnsafeRow): Boolean = arrival.getBoolean(movedAt)

  /** Returns a projection from an arriving row to its table columns. */
  def values(table: StructType): UnsafeProjection =
    UnsafeProjection.create(table.fields.toSeq.zipWithIndex.map { case (field, i) =>
      BoundReference(leading + i, field.dataType, field.nullable)
    })
}
