package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.plans.logical._

import hudilite.spark.plan._

/** How a MERGE finds the rows that match: by their keys where ON pins these and tasks can evaluate
  * all the rest, and otherwise by a join with the table, whose matched pairs are looked up by the
  * target's key. */
private[analyze] final class MergeRoad(target: HudiliteTarget, merge: MergeIntoTable) {
  MergeRoad.check(target, merge)
  private val taken = new MergeExpressions(target)
  private val condition = taken.withSource(merge.mergeCondition)
  private val matched = merge.matchedActions.map(taken.withSource)
  private val notMatched = merge.notMatchedActions.map(taken.withSource)
  private val source = taken.over(merge.sourceTable)
  private val on = MergeCondition.of(target, condition)
  private val clauses = new MergeClauses(target, Some(on))
  private val inserts = notMatched.map(clauses.insert)
  private val bySource = merge.notMatchedBySourceActions.map(clauses.clause(_, isMatched = false))
  private val order = SourceOrder.of(target, source, matched)

  /** Errors: HUDILITE_UNSUPPORTED_CLAUSE, and Spark's for values that do not fit their columns. */
  def write: HudiliteWrite = whyJoined.fold(byKey)(byJoin)

  private def whyJoined: Option[String] =
    if (on.unpinnedKey.nonEmpty)
      Some(s"ON does not pin ${on.unpinnedKey.map(_.name).mkString(", ")}")
    else if (on.residual.exists(!taken.isPlain(_))) Some("ON needs the table's rows")
    else if (matched.exists(!taken.isPlain(_))) Some("a clause needs the table's rows")
    else if (inserts.exists(!clauses.insertsKeySought(_)))
      Some("INSERT gives another key than ON looks for")
    else None

  private def byKey: HudiliteWrite = {
    val whole = matched.map(clauses.clause(_, isMatched = true))
    val spec = MergeSpec(
      operation = "UPSERT",
      keyColumns = target.keyColumns,
      sourceKey = on.sourceKey,
      sourcePartition = on.sourcePartition,
      samePartition = on.samePartition,
      matched = whole.map(order.guarded),
      notMatched = inserts,
      notMatchedBySource = bySource,
      movesPartition = (whole ++ inserts).exists(clauses.moves(_, isMatched = true)) ||
        bySource.exists(clauses.moves(_, isMatched = false)),
      matchIsError = false,
      residual = on.residual,
      ordering = order.ofSource
    )
    HudiliteWrite(target.relation, needed(source, spec), spec, HudiliteWrite.counts)
  }

  private def byJoin(reason: String): HudiliteWrite = {
    val whole = matched.map(taken.withPair).map(clauses.clause(_, isMatched = true))
    val joined = new JoinedSource(target, source, condition, inserts, taken.pairColumns)
    val fresh = new FreshTarget(target)
    val spec = MergeSpec(
      operation = "UPSERT",
      keyColumns = fresh.keyColumns,
      sourceKey = joined.key,
      sourcePartition = Some(joined.partition),
      samePartition = None,
      matched = whole.map(clause => fresh(order.guarded(clause))),
      notMatched = inserts.map(joined.ofUnmatched),
      notMatchedBySource = bySource.map(fresh(_)),
      movesPartition = whole.exists(clauses.moves(_, isMatched = true)) ||
        bySource.exists(clauses.moves(_, isMatched = false)),
      matchIsError = false,
      residual = joined.isMatch,
      ordering = order.ofSource,
      joined = Some(reason)
    )
    HudiliteWrite(fresh.relation, needed(joined.plan, spec), spec, HudiliteWrite.counts)
  }

  private def needed(source: LogicalPlan, spec: MergeSpec): LogicalPlan =
    Project(source.output.filter(spec.references.contains), source)
}

private object MergeRoad {

  private def check(target: HudiliteTarget, merge: MergeIntoTable): Unit = {
    val bySource = merge.notMatchedBySourceActions
    val actions = merge.matchedActions ++ merge.notMatchedActions ++ bySource
    MergeExpressions.check(
      target,
      merge.mergeCondition +: actions.flatMap(_.condition),
      actions.flatMap(MergeExpressions.values)
    )
    bySource.flatMap(a => a.condition ++ MergeExpressions.values(a)).foreach { e =>
      if (!MergeExpressions.isPlain(target, e))
        throw target.unsupported(
          s"A sub-query, a meta column or a value that changes with each call in " +
            s"WHEN NOT MATCHED BY SOURCE: ${e.sql}",
          "Write it in an UPDATE or DELETE statement."
        )
    }
  }
}
