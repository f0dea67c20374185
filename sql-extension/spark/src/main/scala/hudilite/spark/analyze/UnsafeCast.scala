package hudilite.spark.analyze

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.Assignment
import org.apache.spark.sql.catalyst.util.QuotingUtils.{quoteIdentifier, quoteIfNeeded}
import org.apache.spark.sql.internal.SQLConf

/** Error for a value of UPDATE or MERGE whose type Spark does not convert to that of its column. */
private[analyze] object UnsafeCast {

  /** Returns the aligned assignments.
    * @param written assignments of the statement
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE, with the CAST to write, instead of Spark's
    * CANNOT_SAFELY_CAST. */
  def explained(target: HudiliteTarget, written: Seq[Assignment])(
      align: => Seq[Assignment]
  ): Seq[Assignment] =
    try align
    catch {
      case fault: AnalysisException if fault.getCondition == condition =>
        throw written.find(unsafe(fault)).fold[Throwable](fault) {
          case Assignment(key, value: Attribute) if isOrdering(target, key, value) =>
            SourceOrder.ofAnotherType(target, key, value)
          case Assignment(key, value) =>
            val (column, wanted) = (quoteIfNeeded(nameOf(key)), key.dataType.sql)
            val written = MergeExpressions.sqlOf(value)
            target.unsupported(
              s"SET $column = $written (${value.dataType.sql} for a column of type $wanted)",
              s"Write $column = CAST($written AS $wanted)."
            )
        }
    }

  /** Whether a value is the source's column of an ordering field, which also orders the source rows. */
  private def isOrdering(target: HudiliteTarget, key: Expression, value: Attribute): Boolean =
    target.table.config.orderingFields.contains(nameOf(key)) &&
      SQLConf.get.resolver(nameOf(key), value.name)

  private def unsafe(fault: AnalysisException)(assignment: Assignment): Boolean = {
    val told = fault.getMessageParameters
    assignment.key.resolved && assignment.value.resolved &&
    told.get("colName") == quoteIdentifier(nameOf(assignment.key)) &&
    told.get("srcType") == s""""${assignment.value.dataType.sql}"""" &&
    told.get("targetType") == s""""${assignment.key.dataType.sql}""""
  }

  private def nameOf(key: Expression): String = key match {
    case column: Attribute => column.name
    case other => other.sql
  }

  private val condition = "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"
}
