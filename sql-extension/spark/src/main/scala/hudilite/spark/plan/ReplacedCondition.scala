package hudilite.spark.plan

import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.{EqualNullSafe, Expression, If, Literal}
import org.apache.spark.sql.types.{BooleanType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException

/** Condition of REPLACE WHERE as a check of the new rows. */
object ReplacedCondition {

  /** Expression that is true for a row that fulfills the condition, and fails for others.
    * @param holds     the condition over the new row
    * @param key       record key of the new row
    * @param condition text of the condition
    * Errors of its evaluation: HUDILITE_REPLACE_MISMATCH. */
  def required(holds: Expression, key: Expression, condition: String, table: String): Expression = {
    def text(value: String) = Literal(UTF8String.fromString(value), StringType)
    If(
      EqualNullSafe(holds, Literal.TrueLiteral),
      Literal.TrueLiteral,
      StaticInvoke(
        getClass,
        BooleanType,
        "fail",
        Seq(key, text(condition), text(table)),
        propagateNull = false,
        returnNullable = false
      )
    )
  }

  /** Fails. Called by generated code. */
  def fail(key: UTF8String, condition: UTF8String, table: UTF8String): Boolean =
    throw fault(s"The row with the key $key", s"rows where $condition", table.toString)

  /** Error for a row outside of what a statement replaces.
    * @param row      names the row
    * @param replaced what the statement replaces */
  def fault(row: String, replaced: String, table: String): HudiliteException = HudiliteException(
    "HUDILITE_REPLACE_MISMATCH",
    "row" -> row,
    "table" -> table,
    "replaced" -> replaced
  )
}
