package hudilite.spark.analyze

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Attribute,
  EqualTo,
  Expression,
  Literal,
  NamedExpression
}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SQLConf

import hudilite.format.MetaFields
import hudilite.spark.catalog.WriteOperation
import hudilite.spark.plan.{HudiliteWrite, InsertClause, MergeSpec, UpdateClause}

/** Rule that lowers INSERT INTO a hudilite table to a HudiliteWrite with one INSERT clause. A match
  * is an error, unless the session setting of [[InsertDuplicates]] has another value.
  *
  * Runs once Spark has added casts, defaults and NOT NULL checks to the values. */
object LowerInsert extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case WriteTo(append: AppendData, target) if append.resolved && !target.table.isOpen =>
      val query = new GeneratedValues(target).in(append.query)
      target.checkWritable(append.writeOptions)
      val operation = WriteOperation.of(append.writeOptions)
      val duplicates = duplicatesOf(target, operation)
      if (operation.contains(WriteOperation.Upsert)) checkWhole(target, query)
      val write =
        if (target.seeksEverywhere && duplicates == InsertDuplicates.Update) asMerge(target, query)
        else
          lower(target, query, duplicates, bars = Some(Literal.TrueLiteral),
            combines = duplicates != InsertDuplicates.Error)
      operation.fold(write)(of =>
        write.copy(spec = write.spec.copy(operation = of.text.toUpperCase(Locale.ROOT)))
      )
  }

  /** Treatment of a row whose key exists: it is replaced by an upsert. An insert follows the
    * setting of the session.
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE for an operation that adds no rows. */
  private def duplicatesOf(
      target: HudiliteTarget,
      operation: Option[WriteOperation]
  ): InsertDuplicates = operation match {
    case Some(WriteOperation.Upsert) =>
      if (target.makesKeys)
        throw target.unsupported(
          s"Operation upsert of rows without ${MetaFields.RecordKey} into a table without key columns",
          "Write .option('hoodie.datasource.write.operation', 'insert'), or run MERGE INTO."
        )
      InsertDuplicates.Update
    case None | Some(WriteOperation.Insert | WriteOperation.BulkInsert) =>
      InsertDuplicates.of(SQLConf.get)
    case Some(other) =>
      throw target.unsupported(s"An append with operation ${other.text}",
        "Write upsert, insert or bulk_insert, or use df.write.save(path).")
  }

  /** Rows without a column would replace its values by null.
    * Errors: HUDILITE_UNSUPPORTED_CLAUSE. */
  private def checkWhole(target: HudiliteTarget, query: LogicalPlan): Unit =
    for (column <- GeneratedValues.leftOut(query, target.columns).headOption)
      throw target.unsupported(
        s"Operation upsert of a DataFrame without column ${column.name}",
        s"Add the column ${column.name} to the DataFrame."
      )

  /** @param query    one column for each column of the table, in table order
    * @param bars     true for a target row, in whatever partition, that blocks inserts of its key;
    *                 None: no row does
    * @param combines whether of rows with one key the one with the greatest ordering value is kept */
  private[analyze] def lower(
      target: HudiliteTarget,
      query: LogicalPlan,
      duplicates: InsertDuplicates,
      bars: Option[Expression],
      combines: Boolean
  ): HudiliteWrite = {
    val rows = leaveNullKeys(target, query)
    val value = target.columns.map(_.exprId).zip(rows.output).toMap
    val order = if (combines) SourceOrder.of(target, rows.output) else SourceOrder.none
    val keys = target.keyOf(column => value(column.exprId)).zip(target.keyNames).map {
      case (of: Attribute, _) => of
      case (of, name) => Alias(of, name)()
    }
    val key = keys.map(_.toAttribute)
    val added = keys.filterNot(rows.outputSet.contains)
    val source = if (added.isEmpty) rows else Project(rows.output ++ added, rows)
    val partition = target.partitionColumns.map(column => value(column.exprId))
    val places = Option.when(target.seeksEverywhere)(
      new KeyPlaces(target, source, key, partition, None, order.ofSource, bars)
    )
    val spec = MergeSpec(
      operation = "INSERT",
      keyColumns = if (target.hasKeyColumns) target.keyColumns else key,
      sourceKey = key,
      hasStoredKey = target.makesKeys,
      sourcePartition = Some(places.fold(partition)(_.partition)),
      samePartition = None,
      matched =
        if (duplicates == InsertDuplicates.Update)
          Seq(UpdateClause(None, rows.output))
        else Nil,
      notMatched = Seq(InsertClause(None, rows.output)),
      notMatchedBySource = Nil,
      movesPartition = false,
      matchIsError = duplicates == InsertDuplicates.Error,
      ordering = order.ofSource,
      newer = order.newer,
      joined = places.map(_ => KeyPlaces.reason)
    )
    HudiliteWrite(target.relation, places.fold(source)(_.plan), spec, Nil)
  }

  /** Lowers the INSERT as a MERGE: a row replaces the row with its key, in whatever partition. */
  private def asMerge(target: HudiliteTarget, query: LogicalPlan): HudiliteWrite = {
    val relation = target.relation.newInstance()
    val table = target.copy(relation = relation, named = relation)
    val rows = leaveNullKeys(target, query)
    val values = rows.output.zip(table.columns).map { case (value, column) =>
      Alias(value, column.name)()
    }
    val set = table.columns.zip(values).map { case (column, value) =>
      Assignment(column, value.toAttribute)
    }
    val equal = set.collect {
      case Assignment(column: Attribute, value) if table.isKey(column) =>
        EqualTo(column, value)
    }
    val merge = MergeIntoTable(
      relation,
      Project(values, rows),
      equal.reduce[Expression](And(_, _)),
      Seq(UpdateAction(None, set, fromStar = true)),
      Seq(InsertAction(None, set)),
      Nil,
      withSchemaEvolution = false
    )
    val write = new MergeRoad(table, merge).write
    write.copy(spec = write.spec.copy(operation = "INSERT"), output = Nil)
  }

  private def leaveNullKeys(target: HudiliteTarget, query: LogicalPlan): LogicalPlan =
    query match {
      case Project(values, child) =>
        Project(
          values.zip(target.columns).map {
            case (alias: Alias, column) if target.isKey(column) =>
              val value = HudiliteTarget.withoutNullCheck(alias.child)
              Alias(value, alias.name)(exprId = alias.exprId, qualifier = alias.qualifier)
            case (value: NamedExpression, _) => value
          },
          child
        )
      case other => other
    }
}
