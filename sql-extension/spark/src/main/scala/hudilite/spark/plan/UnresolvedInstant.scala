package hudilite.spark.plan

import org.apache.spark.sql.catalyst.analysis.UnresolvedException
import org.apache.spark.sql.catalyst.expressions.{LeafExpression, Literal, Unevaluable}
import org.apache.spark.sql.types.DataType

/** Digits of an instant after TIMESTAMP AS OF, while it is not known whether the table is one of
  * hudilite: no timestamp of Spark has 14 or 17 digits, and Spark would reject them. */
case class UnresolvedInstant(digits: Literal) extends LeafExpression with Unevaluable {
  override lazy val resolved: Boolean = false
  override def dataType: DataType = throw new UnresolvedException("dataType")
  override def nullable: Boolean = throw new UnresolvedException("nullable")
}
