package hudilite.spark.merge

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering
import org.apache.spark.sql.catalyst.expressions.{Ascending, BoundReference, SortOrder, UnsafeRow}
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.execution.UnsafeExternalRowSorter.PrefixComputer
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/** Sort of rows inside a task with Spark's spilling sorter (task side). */
object SpillingSort {

  /** Unsigned number of a row: one that comes before another never has a greater one. */
  abstract class RowPrefix extends PrefixComputer {
    private val prefix = new PrefixComputer.Prefix

    def of(row: UnsafeRow): Long

    final override def computePrefix(row: InternalRow): PrefixComputer.Prefix = {
      prefix.value = of(row.asInstanceOf[UnsafeRow])
      prefix
    }
  }

  /** Returns the rows ordered by one column, ascending. */
  def byColumn(rows: Iterator[UnsafeRow], schema: StructType, column: Int): Iterator[UnsafeRow] =
    by(rows, schema, Seq(column))

  /** Returns the rows ordered by several columns in turn, ascending. Strings compare by their
    * bytes. */
  def by(rows: Iterator[UnsafeRow], schema: StructType, columns: Seq[Int]): Iterator[UnsafeRow] = {
    val sorter = open(schema, columns)
    rows.foreach(sorter.insertRow)
    drain(sorter)
  }

  def open(schema: StructType, columns: Seq[Int]): UnsafeExternalRowSorter = {
    val order = columns.map { i =>
      val field = schema(i)
      SortOrder(BoundReference(i, field.dataType, field.nullable), Ascending)
    }
    open(schema, new LazilyGeneratedOrdering(order), NoPrefix)
  }

  /** Returns a sorter by prefixes, and by an order where these are equal. */
  def open(
      schema: StructType,
      order: Ordering[InternalRow],
      prefixes: RowPrefix
  ): UnsafeExternalRowSorter = create(schema, order, prefixes, isRadix = false)

  /** Returns a sorter by prefixes alone: rows with equal ones are in no order. */
  def byPrefix(schema: StructType, prefixes: RowPrefix): UnsafeExternalRowSorter =
    create(schema, (_, _) => 0, prefixes, isRadix = true)

  def drain(sorter: UnsafeExternalRowSorter): Iterator[UnsafeRow] =
    sorter.sort().map(_.asInstanceOf[UnsafeRow])

  private def create(
      schema: StructType,
      order: Ordering[InternalRow],
      prefixes: RowPrefix,
      isRadix: Boolean
  ): UnsafeExternalRowSorter =
    UnsafeExternalRowSorter.create(
      schema,
      order,
      PrefixComparators.BINARY,
      prefixes,
      SparkEnv.get.memoryManager.pageSizeBytes,
      isRadix
    )

  private object NoPrefix extends RowPrefix {
    override def of(row: UnsafeRow): Long = 0L
  }
}
