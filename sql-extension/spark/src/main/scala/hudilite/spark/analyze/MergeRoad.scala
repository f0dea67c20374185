package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions.{Alias, IsNotNull, IsNull, Literal}
import org.apache.spark.sql.catalyst.plans.logical._

import hudilite.spark.plan._

/** Lowers a MERGE to a HudiliteWrite that finds matching rows in one of two ways. By key, if ON
  * pins the key columns and tasks can evaluate everything else: source rows are looked up by their
  * keys. Otherwise by join: Spark joins the source with the table first, and the matched pairs are
  * looked up by the key of their target row. */
private[analyze] final class MergeRoad(target: HudiliteTarget, merge: MergeIntoTable) {
  MergeRoad.check(target, merge)
  private val taken = new MergeExpressions(target)
  private val condition = taken.withSource(merge.mergeCondition)
  private val on = MergeCondition.of(target, condition)
  private val matched = merge.matchedActions.map(taken.withSource(_, on.findsOneRow))
  private val notMatched = merge.notMatchedActions.map(taken.withSource(_, matchesOnce = true))
  private val source = taken.over(merge.sourceTable)
  private val clauses = new MergeClauses(target, Some(on))
  private val inserts = notMatched.map(clauses.insert)
  private val changes = asRows(matched)
  private val bySource = merge.notMatchedBySourceActions.map(clauses.clause(_, isMatched = false))
  private val order = SourceOrder.of(target, source, matched)

  /** Errors: HUDILITE_UNSUPPORTED_CLAUSE, and Spark's for values that do not fit their columns. */
  def write: HudiliteWrite = whyJoined.fold(byKey)(byJoin)

  /** Whether a key to insert may exist in another partition than the one its row goes to. */
  private def seeksEverywhere: Boolean = target.seeksEverywhere && inserts.nonEmpty

  /** Whether ON already looks up the keys to insert in every partition. */
  private def soughtAlready: Boolean =
    on.isKeyAlone && inserts.forall(clauses.insertsKeySought)

  private def whyJoined: Option[String] =
    if (on.unpinnedKey.nonEmpty)
      Some(s"ON does not pin ${on.unpinnedKey.map(_.name).mkString(", ")}")
    else if (seeksEverywhere) Some(KeyPlaces.reason)
    else if ((changes ++ bySource).exists(changesKey)) Some(MovedRows.newKey)
    else if (!target.hasBuckets && on.sourcePartition.isEmpty)
      Some("the table has no buckets, and ON does not pin its partition")
    else if (!target.hasBuckets && (changes ++ inserts ++ bySource).exists(moves))
      Some("the table has no buckets, and a clause may move a row to another partition")
    else if (on.residual.exists(!taken.isPlain(_))) Some("ON needs the table's rows")
    else if (order.ofSource.nonEmpty && on.choosesSource(taken.isOneValue, order))
      Some("source rows are ordered, and ON chooses among those of one key")
    else if (matched.exists(!taken.isPlain(_))) Some("a clause needs the table's rows")
    else if (inserts.exists(!clauses.insertsKeySought(_)))
      Some("INSERT gives another key than ON looks for")
    else None

  private def byKey: HudiliteWrite = {
    val spec = MergeSpec(
      operation = "UPSERT",
      keyColumns = target.keyColumns,
      sourceKey = on.sourceKey,
      sourcePartition = on.sourcePartition,
      samePartition = on.samePartition,
      matched = changes,
      notMatched = inserts,
      notMatchedBySource = bySource,
      movesPartition = (changes ++ inserts ++ bySource).exists(moves),
      matchIsError = false,
      residual = on.residual,
      ordering = order.ofSource,
      rivals = if (on.sourcePartition.isEmpty) on.pinnedPartition else Nil,
      hasStoredKey = !target.hasKeyColumns,
      newer = order.newer,
      deletesMatches = Clause.isOneDelete(changes)
    )
    HudiliteWrite(target.relation, needed(source, spec), spec, HudiliteWrite.counts)
  }

  private def byJoin(reason: String): HudiliteWrite = {
    val whole = asRows(matched.map(taken.withPair))
    val splits = (whole ++ bySource).exists(leaves)
    val olds = if (splits) target.columns.map(column => Alias(column, column.name)()) else Nil
    val takesAll = splits && bySource.exists(clause => leaves(clause) || moves(clause))
    val joined =
      new JoinedSource(target, source, condition, inserts, taken.pairColumns ++ olds, takesAll)
    val placed = Option.when(seeksEverywhere)(
      new KeyPlaces(target, joined.plan, joined.key, joined.partition, joined.isMatch,
        order.ofSource, Option.when(!soughtAlready)(Literal.TrueLiteral))
    )
    val (pairs, partition) =
      placed.fold((joined.plan, joined.partition))(places => (places.plan, places.partition))
    val fresh = new FreshTarget(target)
    val ofPairs = whole.map(order.guarded)
    val guarded =
      if (!takesAll) ofPairs
      else
        ofPairs.map(Clause.when(IsNotNull(joined.isSource), _)) ++
          bySource.map(Clause.when(IsNull(joined.isSource), _))
    val moved = Option.when(splits)(
      new MovedRows(target, pairs, olds.map(_.toAttribute), partition, joined.isMatch, guarded,
        joined.key, order.ofSource)
    )
    val spec = MergeSpec(
      operation = "UPSERT",
      keyColumns = fresh.keyColumns,
      sourceKey = moved.fold(joined.key)(_.sourceKey),
      sourcePartition = Some(moved.fold(partition)(_.sourcePartition)),
      samePartition = None,
      matched = moved.map(_.leaving).toSeq ++ guarded.map(fresh(_)),
      notMatched = moved.map(_.arriving).toSeq ++ inserts.map(joined.ofUnmatched),
      notMatchedBySource = if (takesAll) Nil else bySource.map(fresh(_)),
      movesPartition = !splits && (whole ++ bySource).exists(moves),
      matchIsError = false,
      residual = moved.map(_.isMatch).orElse(joined.isMatch),
      ordering = order.ofSource,
      rivals = moved.toSeq.flatMap(_.rivals) ++ Option.when(takesAll)(joined.isSource) ++
        (if (hasOneKey) None else joined.isMatch),
      joined = Some(reason),
      hasStoredKey = !target.hasKeyColumns,
      deletesMatches = Clause.isOneDelete(whole)
    )
    val rows = moved.fold(pairs)(_.plan)
    HudiliteWrite(fresh.relation, needed(rows, spec), spec, HudiliteWrite.counts)
  }

  private def asRows(actions: Seq[MergeAction]): Seq[Clause] =
    actions.map(clauses.clause(_, isMatched = true))

  private def moves(clause: Clause): Boolean =
    clauses.moves(clause, isMatched = !bySource.contains(clause))

  private def changesKey(clause: Clause): Boolean =
    clauses.changesKey(clause, isMatched = !bySource.contains(clause))

  /** Whether each source row has one key, that of the row it matches or inserts. If not, a row to
    * insert does not compete with a pair of its key. */
  private def hasOneKey: Boolean =
    on.unpinnedKey.isEmpty && inserts.forall(clauses.insertsKeySought)

  /** Whether a row that a clause changes may leave its file group in a way that only two source rows
    * can express, see [[MovedRows]]. */
  private def leaves(clause: Clause): Boolean =
    changesKey(clause) || (!target.hasBuckets || seeksEverywhere) && moves(clause)

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
    val ofSource = merge.matchedActions ++ merge.notMatchedActions
    MergeExpressions.checkConstant(
      target,
      merge.mergeCondition +: ofSource.flatMap(_.condition)
    )((_, call) =>
      s"Compute it in the source: USING (SELECT *, ${call.sql} AS computed FROM ...)."
    )
    bySource.flatMap(a => a.condition ++ MergeExpressions.values(a)).foreach { e =>
      if (!MergeExpressions.isPlain(target, e))
        throw target.unsupported(
          s"A sub-query, a meta column or a value that changes with each call in " +
            s"WHEN NOT MATCHED BY SOURCE: ${e.sql}",
          "Write a separate UPDATE or DELETE statement."
        )
    }
  }
}
