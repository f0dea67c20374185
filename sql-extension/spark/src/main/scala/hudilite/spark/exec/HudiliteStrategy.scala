package hudilite.spark.exec

import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable}
import org.apache.spark.sql.catalyst.catalog.CatalogUtils
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{
  AlterTableCommand,
  CreateTableAsSelect,
  LogicalPlan,
  TableSpec
}
import org.apache.spark.sql.classic.{SparkSession, Strategy}
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier, TableChange}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.{
  CreateTableAsSelectExec,
  DataSourceV2Relation
}
import org.apache.spark.sql.{SparkSession => AnySession}

import hudilite.spark.catalog.{
  HudiliteTable,
  HudiliteTableCatalog,
  RedeclareTable,
  TableCaches,
  WriteOptions
}
import hudilite.spark.locate.TaggedRow
import hudilite.spark.plan.{HudiliteWrite, NewTableFormat}

/** Strategy that plans a HudiliteWrite as TagRowsExec, an exchange, MergeFileGroupsExec and
  * CommitWriteExec (driver side). Without buckets, LocateRowsExec comes after TagRowsExec. Also
  * plans CREATE TABLE AS SELECT, REPLACE TABLE with other comments or properties, and column changes
  * of ALTER TABLE. */
final class HudiliteStrategy(session: AnySession) extends Strategy {
  private val classic = session.asInstanceOf[SparkSession]

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case HudiliteWrite(relation: DataSourceV2Relation, query, spec, output) =>
      relation.table match {
        case table: HudiliteTable =>
          val write = WritePlan(classic, relation, table, spec, query, table.snapshot.counts)
          Seq(CommitWriteExec(write, output, () => refresh(relation), planLater(write.merge)))
        case _ => Nil
      }
    case create @ CreateTableAsSelect(
          ResolvedIdentifier(catalog: HudiliteTableCatalog, ident),
          parts,
          query,
          spec: TableSpec,
          options,
          ifNotExists,
          true
        ) if NewTableFormat.isOurs(create) =>
      Seq(
        CreateTableAsSelectExec(catalog.forCreation, ident, parts, query, declared(spec, options),
          WriteOptions.operationOf(options), ifNotExists)
      )
    case alter: AlterTableCommand => altered(alter)
    case RedeclareTable(rows, catalog, ident, changes) =>
      Seq(
        RedeclareTableExec(catalog, ident, changes, () => refresh(catalog, ident), planLater(rows))
      )
    case MergeFileGroups(statement, output, tagged) => Seq(merge(statement, output, tagged))
    case LocateRows(statement, tagged) => Seq(located(statement, tagged))
    case rows @ TagRows(statement, tag, query) =>
      Seq(TagRowsExec(tag, TaggedRow.columns, exchangesSource(rows), statement, planLater(query)))
    case _ => Nil
  }

  private def altered(alter: AlterTableCommand): Seq[SparkPlan] = alter.table match {
    case ResolvedTable(catalog: HudiliteTableCatalog, ident, _: HudiliteTable, _)
        if alter.changes.exists(HudiliteStrategy.isOfColumn) =>
      Seq(AlterColumnsExec(catalog, ident, alter.changes, () => refresh(catalog, ident)))
    case _ => Nil
  }

  /** Adds the options of a DataFrame writer to the properties of a new table. */
  private def declared(spec: TableSpec, options: Map[String, String]): TableSpec = {
    val location = spec.location.map { path =>
      CatalogUtils.makeQualifiedDBObjectPath(
        classic.sessionState.conf.warehousePath,
        path,
        classic.sessionState.newHadoopConf()
      )
    }
    WriteOptions.stated(spec, options).copy(location = location)
  }

  private def merge(
      statement: WriteStatement,
      output: Seq[Attribute],
      tagged: LogicalPlan
  ): SparkPlan = {
    val rows = planLater(tagged)
    val gathers = HudiliteStrategy.isSource(tagged) && isSmall(tagged)
    // Adaptive execution replaces the rows below by the query stage of an exchange.
    val exchanges = tagged match {
      case tag: TagRows => !gathers && !exchangesSource(tag)
      case _: LocateRows => !gathers
      case _ => true
    }
    val child =
      if (gathers)
        GatherSourceExec(
          TaggedRow.fileGroup(tagged.output),
          TaggedRow.mergeOrder(tagged.output),
          rows
        )
      else SortSourceExec(statement, exchanges, rows)
    MergeFileGroupsExec(statement, output, child)
  }

  private def located(statement: WriteStatement, tagged: LogicalPlan): SparkPlan = {
    val rows = planLater(tagged)
    val gathers = isSmall(tagged)
    val child =
      if (gathers)
        GatherSourceExec(
          TaggedRow.partition(tagged.output),
          TaggedRow.lookupOrder(tagged.output),
          rows
        )
      else rows
    LocateRowsExec(statement, !gathers, child)
  }

  private def isSmall(source: LogicalPlan): Boolean =
    source.maxRows.exists(_ <= HudiliteStrategy.gatheredRows)

  /** Whether the source is exchanged before it is tagged. If file groups are visited without a
    * source row, their rows are added by the tagging, so the exchange must come after it. */
  private def exchangesSource(rows: TagRows): Boolean =
    !isSmall(rows) && !rows.statement.visitsFileGroups && rows.statement.hasBuckets

  private def refresh(catalog: CatalogPlugin, ident: Identifier): Unit =
    classic.sharedState.cacheManager.recacheTableOrView(
      classic,
      catalog.name +: ident.namespace.toSeq :+ ident.name
    )

  /** Recaches all cached plans of the table, by its names and without one, whichever commit they
    * show. */
  private def refresh(relation: DataSourceV2Relation): Unit = {
    val read = relation.table match {
      case table: HudiliteTable =>
        TableCaches.refresh(classic, table)
        relation.copy(table = table.asRead)
      case _ => relation
    }
    classic.sharedState.cacheManager.recacheByPlan(classic, read)
  }
}

object HudiliteStrategy {

  private def isOfColumn(change: TableChange): Boolean = change match {
    case _: TableChange.ColumnChange => true
    case _ => false
  }

  /** Whether rows come directly from the source and not from an exchange. */
  private def isSource(rows: LogicalPlan): Boolean = rows match {
    case _: TagRows | _: LocateRows => true
    case _ => false
  }

  /** Maximum number of rows of a source that is collected on the driver; the plan must prove it. */
  val gatheredRows = 10000L
}
