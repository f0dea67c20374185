package hudilite.spark.plan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.Block.BlockHelper
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnaryExpression}
import org.apache.spark.sql.types.DataType

import hudilite.error.HudiliteException

/** Expression for the new value of an ordering field of a merge-on-read table, which may not be NULL:
  * readers of log files compare the values.
  * @param column name of the field
  * @param table  name of the table, for the error
  * Errors: HUDILITE_NULL_ORDERING. Source: merge-on-read §4.3. */
case class RequiredOrdering(child: Expression, column: String, table: String)
    extends UnaryExpression {
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = false
  override def prettyName: String = "hudilite_required_ordering"

  override def eval(input: InternalRow): Any =
    Option(child.eval(input)).getOrElse(throw RequiredOrdering.fault(column, table))

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val value = child.genCode(ctx)
    val columnRef = ctx.addReferenceObj("column", column)
    val tableRef = ctx.addReferenceObj("table", table)
    val check = if (!child.nullable) code"" else code"""
      if (${value.isNull}) {
        throw hudilite.spark.plan.RequiredOrdering.fault($columnRef, $tableRef);
      }
    """
    ev.copy(code = code"${value.code}\n$check", isNull = FalseLiteral, value = value.value)
  }

  override protected def withNewChildInternal(newChild: Expression): RequiredOrdering =
    copy(child = newChild)
}

object RequiredOrdering {

  /** Returns what a write does, with checked new values of ordering fields.
    * @param target columns of the table
    * @param fields names of the ordering fields
    * @param table  name of the table */
  def in(
      spec: MergeSpec,
      target: Seq[Attribute],
      fields: Seq[String],
      table: String
  ): MergeSpec = {
    def checked(values: Seq[Expression]) = values.zip(target).map {
      case (value, column)
          if value.nullable && fields.contains(column.name) && !value.semanticEquals(column) =>
        RequiredOrdering(value, column.name, table)
      case (value, _) => value
    }
    def in(clauses: Seq[Clause]): Seq[Clause] = clauses.map {
      case update: UpdateClause => update.copy(values = checked(update.values))
      case insert: InsertClause if !insert.drops =>
        insert.copy(values = checked(insert.values))
      case other => other
    }
    spec.copy(
      matched = in(spec.matched),
      notMatched = in(spec.notMatched),
      notMatchedBySource = in(spec.notMatchedBySource)
    )
  }

  /** Returns the error for a row whose ordering field is NULL. Called by generated code. */
  def fault(column: String, table: String): HudiliteException =
    HudiliteException("HUDILITE_NULL_ORDERING", "column" -> column, "table" -> table)
}
