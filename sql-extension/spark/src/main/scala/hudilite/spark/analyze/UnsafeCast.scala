package hudilite.spark.analyze

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.Assignment
import org.apache.spark.sql.catalyst.util.QuotingUtils.{quoteIdentifier, quoteIfNeeded}

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
        throw written.find(unsafe(fault)).fold[Throwable](fault) { assignment =>
          val (column, value) = (quoteIfNeeded(nameOf(assignment.key)), assignment.value)
          val wanted = assignment.key.dataType.sql
          target.unsupported(
            s"SET $column = ${value.sql} (${value.dataType.sql} for a column of type $wanted)",
            s"Write $column = CAST(${value.sql} AS $wanted)."
          )
        }
    }

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
