package org.apache.spark.sql.hudilite

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.execution.datasources.DataSourceStrategy
import org.apache.spark.sql.sources.Filter

/** Bridge to the `protected[sql]` member DataSourceStrategy.translateFilter and the `private[sql]`
  * member Filter.toV2.
  */
object FilterTranslation {

  /** The data source filter equal to a predicate, nested columns included, if there is one. */
  def translate(predicate: Expression): Option[Filter] =
    DataSourceStrategy.translateFilter(predicate, supportNestedPredicatePushdown = true)

  /** The same filter as a V2 predicate. */
  def predicate(filter: Filter): Predicate = filter.toV2
}
