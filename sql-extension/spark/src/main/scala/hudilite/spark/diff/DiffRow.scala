package hudilite.spark.diff

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  Cast,
  EvalMode,
  Expression,
  Literal,
  Or,
  UnsafeProjection
}
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.read.ChangedRows

/** Layout of a difference as one row: its kind, the columns before, and the columns after. A row that one
  * state does not have is NULL in all its columns.
  * @param columns columns that are shown */
private[diff] final case class DiffRow(columns: Seq[ComparedColumn]) {

  /** Columns of the rows that are returned. */
  val schema: StructType =
    columns.foldLeft(new StructType())((all, of) => all.add(of.after, of.dataType))
      .add(ChangedRows.kind, StringType, nullable = false)

  /** Returns a function that makes the rows to return of a difference: an update is two. */
  def shown: InternalRow => Seq[InternalRow] = {
    val kinds = Seq(ChangedRows.Insert, ChangedRows.Before, ChangedRows.After, ChangedRows.Delete)
    val of = kinds.map { kind =>
      val first =
        if (kind == ChangedRows.Before || kind == ChangedRows.Delete) 1 else 1 + columns.size
      val values = columns.indices.map(i =>
        BoundReference(first + i, columns(i).dataType, nullable = true)
      )
      kind -> UnsafeProjection.create(values :+ Literal(kind))
    }.toMap
    row => DiffRow.kindsOf(row.getUTF8String(0)).map(of(_)(row).copy())
  }
}

private[diff] object DiffRow {

  /** Kinds of differences. */
  val inserted = "insert"
  val updated = "update"
  val deleted = "delete"

  private def kindsOf(kind: UTF8String): Seq[String] = kind.toString match {
    case `inserted` => Seq(ChangedRows.Insert)
    case `updated` => Seq(ChangedRows.Before, ChangedRows.After)
    case _ => Seq(ChangedRows.Delete)
  }

  /** Returns values in the types in which they are compared.
    * @param value returns the value of a column */
  def values(columns: Seq[ComparedColumn])(value: ComparedColumn => Expression): Seq[Expression] =
    columns.map { column =>
      val stored = value(column)
      if (stored.dataType == column.dataType) stored
      else Cast(stored, column.dataType, None, EvalMode.LEGACY)
    }

  /** Returns whether one of the columns differs. */
  def differs(before: Seq[Expression], after: Seq[Expression]): Expression =
    before.zip(after).map { case (one, other) => ValueEquality.differs(one, other) }
      .reduceOption[Expression](Or(_, _))
      .getOrElse(Literal.FalseLiteral)
}
