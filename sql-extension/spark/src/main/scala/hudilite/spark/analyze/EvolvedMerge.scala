package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.analyze.NewColumns.Additions
import hudilite.spark.catalog.GeneratedColumns

/** MERGE of a source with resolved columns. WITH SCHEMA EVOLUTION becomes an ordinary MERGE into
  * the table with the new columns of the source. The commit of the rows adds these columns; nothing
  * changes before it.
  *
  * New columns are the source columns that the table does not have: all of them for `UPDATE SET *`
  * and `INSERT *`, otherwise those that a clause assigns to a column of the same name. The same
  * holds for new fields of structs. Nullable fields that a struct of the source lacks are NULL. A
  * star assigns the source's columns and leaves out table columns that the source does not have.
  * Types do not change: values are cast to the table's types.
  *
  * In any other MERGE, a star leaves out the generated columns that the source does not have. */
private[analyze] final class EvolvedMerge(target: HudiliteTarget, merge: MergeIntoTable) {
  private val source = merge.sourceTable.output

  /** Returns the statement that Spark resolves.
    * Errors: HUDILITE_INVALID_NAME, HUDILITE_UNSUPPORTED_TYPE. */
  def resolved: MergeIntoTable =
    if (!merge.withSchemaEvolution) {
      val whole = NewColumns.settled(merge.targetTable, target, Additions.none)
      val settled = merge.copy(targetTable = whole)
      if (lacksGeneratedAlone) withStars(settled, starred(whole.output)) else settled
    } else {
      val found = added
      val whole = NewColumns.settled(merge.targetTable, target, found)
      val settled = merge.copy(targetTable = whole, withSchemaEvolution = false)
      StructFields.filling(withStars(settled, starred(whole.output)))
    }

  /** Whether the source has all columns of the table but generated ones, of which it lacks some. */
  private def lacksGeneratedAlone: Boolean = {
    val schema = target.table.schema
    val computed = GeneratedColumns.absent(schema, source)
    computed.nonEmpty && schema.fieldNames.forall { name =>
      computed.contains(name) || source.exists(value => isSame(name, value.name))
    }
  }

  private def starred(columns: Seq[Attribute]): Seq[Assignment] =
    for (value <- source; column <- columns if isSame(column.name, value.name))
      yield Assignment(column, value)

  private def withStars(merge: MergeIntoTable, stars: Seq[Assignment]): MergeIntoTable =
    merge.copy(
      matchedActions = merge.matchedActions.map {
        case UpdateStarAction(condition) => UpdateAction(condition, stars, fromStar = true)
        case other => other
      },
      notMatchedActions = merge.notMatchedActions.map {
        case InsertStarAction(condition) => InsertAction(condition, stars)
        case other => other
      }
    )

  /** Source columns to add to the table, in the source's order, and columns with new fields. */
  private def added: Additions = {
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
    val values = source.filter(value => hasStar || assigned.exists(isSame(_, value.name)))
    val (known, fresh) = values.partition(value => columnOf(value).nonEmpty)
    val pairs = known.flatMap(value => columnOf(value).map(_ -> value))
    Additions(NewColumns.grown(target, pairs, byName = true), fresh)
  }

  private def columnOf(value: Attribute): Option[Attribute] =
    target.columns.find(column => isSame(column.name, value.name))

  /** Name of an assigned column if its value is the source column of the same name. */
  private def ownName(assignment: Assignment): Option[String] =
    (assignment.key, assignment.value) match {
      case (UnresolvedAttribute(to), UnresolvedAttribute(from))
          if isSame(to.last, from.last) && !isField(merge.targetTable, to) &&
            !isField(merge.sourceTable, from) =>
        Some(to.last)
      case _ => None
    }

  private def isField(of: LogicalPlan, name: Seq[String]): Boolean =
    name.size > 1 && of.resolve(name.init, SQLConf.get.resolver).nonEmpty

  private def isSame(a: String, b: String): Boolean = SQLConf.get.resolver(a, b)
}
