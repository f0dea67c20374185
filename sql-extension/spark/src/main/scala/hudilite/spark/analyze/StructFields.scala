package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.analysis.AssignmentUtils
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeReference,
  Cast,
  Expression
}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

import hudilite.spark.plan.Setting

/** Structs of the rows of a statement that have other fields than those of the table, or in another
  * order. Fields are matched by name. In a statement that asks for schema evolution, nullable fields
  * that a struct lacks are NULL; `UPDATE SET *` leaves them as they are, except in arrays and maps. */
private[analyze] object StructFields {
  private val fills = TreeNodeTag[Unit]("hudilite.fills")

  /** Returns a MERGE in which fields that a struct lacks are NULL. */
  def filling(merge: MergeIntoTable): MergeIntoTable = {
    merge.setTagValue(fills, ())
    merge
  }

  /** Returns a MERGE with assigned structs that have the fields of their columns, where Spark has found
    * no cast by position.
    * Errors: Spark's, for fields that do not match. */
  def named(merge: MergeIntoTable): MergeIntoTable = {
    val isFilling = merge.getTagValue(fills).nonEmpty
    def written(assignments: Seq[Assignment], isStar: Boolean) = assignments.map {
      case Assignment(key, Uncast(value))
          if key.resolved && differ(key.dataType, value.dataType) =>
        val column = key match {
          case own: Attribute => own
          case other => AttributeReference(other.sql, other.dataType, other.nullable)()
        }
        Assignment(key, aligned(column, value, isFilling, isFilling && isStar))
      case other => other
    }
    def action(of: MergeAction) = of match {
      case update: UpdateAction =>
        update.copy(assignments = written(update.assignments, update.fromStar))
      case insert: InsertAction =>
        insert.copy(assignments = written(insert.assignments, isStar = false))
      case other => other
    }
    merge.copy(
      matchedActions = merge.matchedActions.map(action),
      notMatchedActions = merge.notMatchedActions.map(action),
      notMatchedBySourceActions = merge.notMatchedBySourceActions.map(action)
    )
  }

  /** Returns rows whose structs have the fields of their columns, with NULL for those that they lack.
    * @param columns the column of the table for each value of a row, None if there is none
    * Errors: Spark's, for fields that do not match. */
  def filled(rows: LogicalPlan, columns: Seq[Option[Attribute]]): LogicalPlan = {
    val values = rows.output.zip(columns).map {
      case (value, Some(column)) if differ(column.dataType, value.dataType) =>
        Alias(aligned(column, value, isFilling = true, isKeeping = false), value.name)()
      case (value, _) => value
    }
    if (values == rows.output) rows else Project(values, rows)
  }

  /** Value for which Spark has found no cast to its column. */
  private object Uncast {
    def unapply(value: Expression): Option[Expression] =
      if (value.resolved) None
      else
        value.collectFirst {
          case cast: Cast
              if !cast.resolved && cast.getTagValue(Cast.BY_TABLE_INSERTION).nonEmpty &&
                cast.child.resolved =>
            MergeClauses.bare(cast)
        }
  }

  /** @param isFilling whether fields that the value lacks are NULL
    * @param isKeeping whether they are those of the column instead */
  private def aligned(
      column: Attribute,
      value: Expression,
      isFilling: Boolean,
      isKeeping: Boolean
  ): Expression = Setting.within(SQLConf.MERGE_INTO_NESTED_TYPE_COERCION_ENABLED.key, isFilling) {
    AssignmentUtils.alignUpdateAssignments(
      Seq(column),
      Seq(Assignment(column, value)),
      fromStar = isKeeping,
      coerceNestedTypes = isFilling
    ).head.value
  }

  /** Whether two types have structs with other fields, or in another order, at the same place. */
  private[analyze] def differ(own: DataType, other: DataType): Boolean = (own, other) match {
    case (a: StructType, b: StructType) =>
      a.size != b.size || a.zip(b).exists { case (field, value) =>
        !SQLConf.get.resolver(field.name, value.name) || differ(field.dataType, value.dataType)
      }
    case (a: ArrayType, b: ArrayType) => differ(a.elementType, b.elementType)
    case (a: MapType, b: MapType) =>
      differ(a.keyType, b.keyType) || differ(a.valueType, b.valueType)
    case _ => false
  }
}
