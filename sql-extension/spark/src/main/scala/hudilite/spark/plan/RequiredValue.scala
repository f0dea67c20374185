package hudilite.spark.plan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.Block.BlockHelper
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression}
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException

/** Expression for a value of a NOT NULL column. It has the value of its left child, and fails for
  * NULL with the key of the row, which it computes only then.
  *
  * Errors of its evaluation: HUDILITE_NULL_VALUE.
  * @param left   the value
  * @param right  text of the row's key, for the error
  * @param column name of the column, or of the field or element in it
  * @param table  name of the table
  * @param fix    what the error says to do
  */
case class RequiredValue(
    left: Expression,
    right: Expression,
    column: String,
    table: String,
    fix: String
) extends BinaryExpression {

  override def dataType: DataType = left.dataType
  override def nullable: Boolean = false

  /** A constant NULL is an error only if a row is written. */
  override def foldable: Boolean = false

  override def prettyName: String = "hudilite_required"

  override def eval(row: InternalRow): Any = {
    val value = left.eval(row)
    if (value == null) refuse(right.eval(row).asInstanceOf[UTF8String]) else value
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val value = left.genCode(ctx)
    val key = right.genCode(ctx)
    val me = ctx.addReferenceObj("required", this)
    val code = code"""
      ${value.code}
      if (${value.isNull}) {
        ${key.code}
        $me.refuse(${key.value});
      }
    """
    ev.copy(code = code, isNull = FalseLiteral, value = value.value)
  }

  /** Throws the error for NULL; generated code calls it. */
  def refuse(key: UTF8String): Nothing =
    throw HudiliteException(
      "HUDILITE_NULL_VALUE",
      "column" -> column,
      "table" -> table,
      "key" -> key.toString,
      "fix" -> fix
    )

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): RequiredValue = copy(left = newLeft, right = newRight)
}
