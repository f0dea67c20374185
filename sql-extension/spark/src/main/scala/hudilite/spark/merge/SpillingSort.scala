package hudilite.spark.merge

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering
import org.apache.spark.sql.catalyst.expressions.{Ascending, BoundReference, SortOrder, UnsafeRow}
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/** Sort of rows inside a task with Spark's spilling sorter (task side). */
object SpillingSort {

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
    UnsafeExternalRowSorter.create(
      schema,
      new LazilyGeneratedOrdering(order),
      PrefixComparators.LONG,
      NoPrefix,
      SparkEnv.get.memoryManager.pageSizeBytes,
      false
    )
  }

  def drain(sorter: UnsafeExternalRowSorter): Iterator[UnsafeRow] =
    sorter.sort().map(_.asInstanceOf[UnsafeRow])

  private object NoPrefix extends UnsafeExternalRowSorter.PrefixComputer {
    private val same = new UnsafeExternalRowSorter.PrefixComputer.Prefix
    override def computePrefix(row: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix =
      same
  }
}
