package org.apache.spark.sql.hudilite

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.SimpleTableFunctionRegistry
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Table functions that the extensions have injected which stand before the calling one in
  * `spark.sql.extensions`. Bridge to the private[sql] member
  * `SparkSessionExtensions.registerTableFunctions`. */
final class EarlierFunctions(extensions: SparkSessionExtensions) {
  private val registry = new SimpleTableFunctionRegistry
  extensions.registerTableFunctions(registry): Unit

  /** Returns the function with a name, which Spark 4.2 qualifies. */
  def named(name: String): Option[Seq[Expression] => LogicalPlan] =
    registry.listFunction()
      .find(_.funcName.equalsIgnoreCase(name))
      .flatMap(registry.lookupFunctionBuilder)
}
