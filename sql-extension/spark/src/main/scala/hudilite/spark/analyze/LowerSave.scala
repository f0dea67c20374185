package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand

import hudilite.spark.catalog.WrittenByPath

/** Rule for `df.write.save(path)`: the write becomes the statement that does the same to the table at
  * the path, or a CREATE TABLE AS SELECT if there is none. */
object LowerSave extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case SaveIntoDataSourceCommand(query, _: WrittenByPath, options, mode) if query.resolved =>
      val asWritten = options match {
        case folded: CaseInsensitiveMap[String] => folded.originalMap
        case other => other
      }
      new SavedByPath(SparkSession.active, query, asWritten, mode).plan
  }
}
