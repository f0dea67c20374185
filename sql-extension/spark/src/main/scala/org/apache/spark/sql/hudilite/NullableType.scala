package org.apache.spark.sql.hudilite

import org.apache.spark.sql.types.DataType

/** A type whose fields, elements and values may all be NULL: `asNullable` of Spark's DataType, which is
  * `private[spark]`. */
object NullableType {
  def apply(of: DataType): DataType = of.asNullable
}
