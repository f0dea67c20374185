package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import hudilite.spark.plan.EvolvingMerge

/** Rule that turns MERGE WITH SCHEMA EVOLUTION into an ordinary MERGE into the table with the new
  * columns of the source. The commit of the rows adds these columns; nothing changes before it.
  *
  * New columns are the source columns that the table does not have: all of them for `UPDATE SET *`
  * and `INSERT *`, otherwise those that a clause assigns to a column of the same name. A star
  * assigns the source's columns and leaves out table columns that the source does not have. Types
  * do not change: values are cast to the table's types. */
object ResolveEvolvingMerge extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case EvolvingMerge(target, source, merge) if target.resolved && source.resolved =>
      target match {
        case HudiliteTarget(of) => evolved(of, target, source, merge)
        case _ => merge.copy(targetTable = target, sourceTable = source)
      }
  }

  private def evolved(
      of: HudiliteTarget,
      target: LogicalPlan,
      source: LogicalPlan,
      merge: MergeIntoTable
  ): MergeIntoTable = {
    val widened = NewColumns.widened(of.relation, of, added(of, source, merge))
    val whole = target.transform {
      case relation: DataSourceV2Relation =>
        relation.copy(table = widened.table, output = widened.output)
    }
    val stars = starred(widened.output, source)
    merge.copy(
      targetTable = whole,
      sourceTable = source,
      matchedActions = merge.matchedActions.map {
        case UpdateStarAction(condition) => UpdateAction(condition, stars, fromStar = true)
        case other => other
      },
      notMatchedActions = merge.notMatchedActions.map {
        case InsertStarAction(condition) => InsertAction(condition, stars)
        case other => other
      },
      withSchemaEvolution = false
    )
  }

  private def starred(columns: Seq[Attribute], source: LogicalPlan): Seq[Assignment] =
    for (value <- source.output; column <- columns if isSame(column.name, value.name))
      yield Assignment(column, value)

  /** Source columns to add to the table, in the source's order. */
  private def added(
      of: HudiliteTarget,
      source: LogicalPlan,
      merge: MergeIntoTable
  ): Seq[Attribute] = {
    val actions = merge.matchedActions ++ merge.notMatchedActions
    val hasStar = actions.exists {
      case _: UpdateStarAction | _: InsertStarAction => true
      case _ => false
    }
    val assigned = actions.flatMap {
      case UpdateAction(_, assignments, _) => assignments.flatMap(ownName)
      case InsertAction(_, assignments) => assignments.flatMap(ownName)
      case _ => Nil
    }
    source.output.filter { value =>
      !of.columns.exists(column => isSame(column.name, value.name)) &&
      (hasStar || assigned.exists(isSame(_, value.name)))
    }
  }

  /** Name of an assigned column if its value is the source column of the same name. */
  private def ownName(assignment: Assignment): Option[String] =
    (assignment.key, assignment.value) match {
      case (UnresolvedAttribute(to), UnresolvedAttribute(from)) if isSame(to.last, from.last) =>
        Some(to.last)
      case _ => None
    }

  private def isSame(a: String, b: String): Boolean = conf.resolver(a, b)
}
