package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import hudilite.spark.plan.Clause

/** Written table with new attributes, for a write whose source reads the same table under the
  * attributes of the statement. */
private[analyze] final class FreshTarget(target: HudiliteTarget) {
  val relation: DataSourceV2Relation = target.relation.newInstance()

  private val byId = target.columns.map(_.exprId).zip(relation.output).toMap

  val keyColumns: Seq[Attribute] = target.keyColumns.map(column =>
    byId.getOrElse(column.exprId, column)
  )

  /** Returns a clause whose references to the table use the new attributes. */
  def apply[C <: Clause](clause: C): Clause = {
    val renamed = clause.transform {
      case a: AttributeReference if byId.contains(a.exprId) => byId(a.exprId)
    }
    renamed match {
      case whole: Clause => whole
      case _ => clause
    }
  }
}
