package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._

import hudilite.format.MetaFields
import hudilite.spark.plan._

/** Lowers UPDATE and DELETE to a HudiliteWrite without a source, whose only clause is one for
  * target rows without a source row. For `WHERE key IN (SELECT ...)` the keys of the subquery are
  * the source instead, and rows are looked up by the index. If a task cannot evaluate the condition
  * or a value, or keys may change, or rows may move in a table without buckets, Spark finds the rows
  * first: they are the source.
  *
  * @param operation Hudi's name of the operation */
private[analyze] final class RowChange(
    target: HudiliteTarget,
    action: MergeAction,
    operation: String
) extends PredicateHelper {
  private val clauses = new MergeClauses(target, None)

  /** Errors: HUDILITE_UNSUPPORTED_CLAUSE, and Spark's for values that do not fit their columns. */
  def write: HudiliteWrite = {
    target.checkWritable(Map.empty)
    MergeExpressions.check(target, action.condition.toSeq, MergeExpressions.values(action))
    MergeExpressions.checkConstant(target, action.condition.toSeq)((all, _) => byQuery(all))
    val clause = clauses.clause(action, isMatched = false)
    if (clauses.changesKey(clause, isMatched = false)) fromRows
    else if (!new MergeExpressions(target).isPlain(action)) byKeys.getOrElse(fromRows)
    else if (!target.hasBuckets && clauses.moves(clause, isMatched = false)) fromRows
    else inPlace
  }

  /** Returns the text that finds the rows for which a condition is true by a query. */
  private def byQuery(condition: Expression): String = {
    val keys =
      if (target.hasKeyColumns) target.keyColumns.map(_.name) else Seq(MetaFields.RecordKey)
    val folders = if (target.seeksEverywhere) Nil else target.partitionColumns.map(_.name)
    val columns = (keys ++ folders).distinct
    val list = columns.mkString(", ")
    val sought = if (columns.size == 1) list else s"($list)"
    s"Find the rows in a sub-query: WHERE $sought IN (SELECT $list FROM ${target.table.name} " +
      s"WHERE ${condition.sql})."
  }

  private def conditioned(condition: Option[Expression]): MergeAction = action match {
    case update: UpdateAction => update.copy(condition = condition)
    case _ => DeleteAction(condition)
  }

  private def byKeys: Option[HudiliteWrite] = {
    val (sought, others) = action.condition.toSeq.flatMap(splitConjunctivePredicates).partition {
      case InSubquery(_, list: ListQuery) => !list.isCorrelated
      case _ => false
    }
    val rest = conditioned(others.reduceOption(And))
    sought match {
      case Seq(InSubquery(values, list: ListQuery))
          if new MergeExpressions(target).isPlain(rest) =>
        val columns = list.childOutputs.map(column => Alias(column, column.name)())
        val keys = Distinct(Project(columns, list.plan))
        val equal = values.zip(keys.output).map { case (value, key) => EqualTo(value, key) }
        val on = MergeCondition.of(target, equal.reduce[Expression](And(_, _)))
        val isPinned = target.hasBuckets || on.sourcePartition.nonEmpty
        Option.when(on.unpinnedKey.isEmpty && isPinned)(matching(on, keys, rest))
          .filter(write => target.hasBuckets || !write.spec.movesPartition)
      case _ => None
    }
  }

  private def matching(on: MergeCondition, keys: LogicalPlan, rest: MergeAction): HudiliteWrite = {
    val clauses = new MergeClauses(target, Some(on))
    val clause = clauses.clause(rest, isMatched = true)
    val spec = MergeSpec(
      operation = operation,
      keyColumns = target.keyColumns,
      sourceKey = on.sourceKey,
      sourcePartition = on.sourcePartition,
      samePartition = on.samePartition,
      matched = Seq(clause),
      notMatched = Nil,
      notMatchedBySource = Nil,
      movesPartition = clauses.moves(clause, isMatched = true),
      matchIsError = false,
      residual = on.residual,
      hasStoredKey = !target.hasKeyColumns,
      deletesMatches = Clause.isOneDelete(Seq(clause))
    )
    HudiliteWrite(target.relation, keys, spec, HudiliteWrite.affected)
  }

  private def inPlace: HudiliteWrite = {
    val clause = clauses.clause(action, isMatched = false)
    val spec = MergeSpec(
      operation = operation,
      keyColumns = target.keyColumns,
      sourceKey = target.keyColumns.map(nothing),
      sourcePartition = Some(target.partitionColumns.map(nothing)),
      samePartition = None,
      matched = Nil,
      notMatched = Nil,
      notMatchedBySource = Seq(clause),
      movesPartition = clauses.moves(clause, isMatched = false),
      matchIsError = false,
      hasStoredKey = !target.hasKeyColumns
    )
    HudiliteWrite(target.relation, LocalRelation(), spec, HudiliteWrite.affected)
  }

  private def fromRows: HudiliteWrite = {
    val taken = new MergeExpressions(target)
    val clause = clauses.clause(taken.withPair(conditioned(None)), isMatched = false)
    val rows = action.condition.foldLeft(target.named)((table, found) => Filter(found, table))
    val places = target.keyColumns ++ target.partitionColumns.filterNot(target.isKey)
    val fresh = new FreshTarget(target)
    val moves = clauses.moves(clause, isMatched = false)
    val changesKey = clauses.changesKey(clause, isMatched = false)
    val splits = changesKey || moves && !target.hasBuckets
    val olds = if (splits) target.columns.map(column => Alias(column, column.name)()) else Nil
    val found = Project(places ++ taken.pairColumns ++ olds, rows)
    val moved = Option.when(splits)(
      new MovedRows(target, found, olds.map(_.toAttribute), target.partitionColumns, None,
        Seq(clause), target.keyColumns, None)
    )
    val spec = MergeSpec(
      operation = operation,
      keyColumns = fresh.keyColumns,
      sourceKey = moved.fold(target.keyColumns)(_.sourceKey),
      sourcePartition = Some(moved.fold(target.partitionColumns)(_.sourcePartition)),
      samePartition = None,
      matched = moved.map(_.leaving).toSeq :+ fresh(clause),
      notMatched = moved.map(_.arriving).toSeq,
      notMatchedBySource = Nil,
      movesPartition = moves && !splits,
      matchIsError = false,
      residual = moved.map(_.isMatch),
      joined = Some(
        if (changesKey) MovedRows.newKey
        else if (splits) "the table has no buckets, and rows may move to another partition"
        else "the condition or a value needs a query"
      ),
      hasStoredKey = !target.hasKeyColumns
    )
    HudiliteWrite(fresh.relation, moved.fold[LogicalPlan](found)(_.plan), spec,
      HudiliteWrite.affected)
  }

  private def nothing(column: Attribute): Expression = Literal(null, column.dataType)
}
