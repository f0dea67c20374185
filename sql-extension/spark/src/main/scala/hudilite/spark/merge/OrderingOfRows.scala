package hudilite.spark.merge

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  BoundReference,
  SortOrder,
  UnsafeProjection,
  UnsafeRow
}

/** Comparison of new rows with old ones by the table's ordering fields (task side).
  * @param fields names of the ordering fields, the first one decides first
  * @param target attributes of a row of new values
  * @param oldRow attributes of an old row */
final class OrderingOfRows(fields: Seq[String], target: Seq[Attribute], oldRow: Seq[Attribute]) {
  private val columns = fields.map(name => target.find(_.name == name).get)
  private val ofNew = UnsafeProjection.create(columns, target)
  private val ofOld = UnsafeProjection.create(columns, oldRow)
  private val order = new LazilyGeneratedOrdering(columns.zipWithIndex.map { case (column, i) =>
    SortOrder(BoundReference(i, column.dataType, nullable = true), Ascending)
  })

  /** Whether the new values of a row have a NULL. */
  def hasNull(values: UnsafeRow): Boolean = ofNew(values).anyNull

  /** Whether the new values of a row come before the old row, or one of the two has a NULL, which stock
    * Hudi compares as the number 0 or not at all. */
  def isLower(values: UnsafeRow, old: InternalRow): Boolean = {
    val (fresh, before) = (ofNew(values), ofOld(old))
    fresh.anyNull || before.anyNull || order.compare(fresh, before) < 0
  }
}
