package org.apache.spark.sql.hudilite

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.DataSourceStrategy
import org.apache.spark.sql.sources.Filter

/** Bridge to the `protected[sql]` member DataSourceStrategy.translateFilter. */
object FilterTranslation {

  /** The data source filter equal to a predicate, nested columns included, if there is one. */
  def translate(predicate: Expression): Option[Filter] =
    DataSourceStrategy.translateFilter(predicate, supportNestedPredicatePushdown = true)
}
