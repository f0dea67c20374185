package org.apache.spark.sql.hudilite

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.execution.datasources.DataSourceStrategy
import org.apache.spark.sql.sources.Filter

/** Translates predicates to data source filters. Bridge to the `protected[sql]` member
  * DataSourceStrategy.translateFilter and the `private[sql]` member Filter.toV2.
  */
object FilterTranslation {

  /** Returns the equivalent data source filter of a predicate, nested columns included, if any. */
  def translate(predicate: Expression): Option[Filter] =
    DataSourceStrategy.translateFilter(predicate, supportNestedPredicatePushdown = true)

  /** Converts a filter to a V2 predicate. */
  def predicate(filter: Filter): Predicate = filter.toV2
}
