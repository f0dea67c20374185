package hudilite.spark.plan

import org.apache.spark.sql.catalyst.expressions.{CreateNamedStruct, Expression}

/** Ordering value of a row as an expression: the value of the only ordering field, or a struct of those
  * of several. */
object OrderingFields {

  /** Returns the values of the single fields. */
  def of(value: Expression): Seq[Expression] = value match {
    case several: CreateNamedStruct => several.valExprs
    case one => Seq(one)
  }
}
