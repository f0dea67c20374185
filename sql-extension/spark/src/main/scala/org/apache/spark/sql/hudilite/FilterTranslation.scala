package org.apache.spark.sql.hudilite

import org.apache.spark.sql.catalyst.expressions.{Expression, InSet, Literal}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.execution.datasources.DataSourceStrategy
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.{DataType, DateType, TimestampType}
import org.apache.spark.unsafe.types.UTF8String

/** Translates predicates to data source filters. Bridge to the `protected[sql]` member
  * DataSourceStrategy.translateFilter and the `private[sql]` member Filter.toV2.
  */
object FilterTranslation {

  /** Returns the equivalent data source filter of a predicate, nested columns included, if any. There is
    * none for a value that the classes of a filter cannot represent: `java.sql` lacks ten days of October
    * 1582, and `java.lang.String` bytes that are not valid UTF-8. */
  def translate(predicate: Expression): Option[Filter] =
    if (predicate.exists(isAltered)) None
    else DataSourceStrategy.translateFilter(predicate, supportNestedPredicatePushdown = true)

  private def isAltered(expression: Expression): Boolean = expression match {
    case Literal(value, of) => isAltered(value, of)
    case InSet(compared, values) => values.exists(isAltered(_, compared.dataType))
    case _ => false
  }

  private def isAltered(value: Any, of: DataType): Boolean = (value, of) match {
    case (days: Int, DateType) =>
      DateTimeUtils.fromJavaDate(DateTimeUtils.toJavaDate(days)) != days
    case (micros: Long, TimestampType) =>
      DateTimeUtils.fromJavaTimestamp(DateTimeUtils.toJavaTimestamp(micros)) != micros
    case (text: UTF8String, _) => UTF8String.fromString(text.toString) != text
    case _ => false
  }

  /** Converts a filter to a V2 predicate. */
  def predicate(filter: Filter): Predicate = filter.toV2
}
