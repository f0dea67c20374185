package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.analysis.{
  CannotReplaceMissingTableException,
  ResolvedIdentifier,
  ResolvedTable
}
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.{Identifier, TableInfo}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.hudilite.DeclaredTable

import hudilite.spark.catalog.{
  HudiliteTable,
  HudiliteTableCatalog,
  Redeclaration,
  RedeclareTable,
  WriteOptions
}
import hudilite.spark.plan.NewTableFormat

/** Rule that lowers [CREATE OR] REPLACE TABLE [AS SELECT] of a hudilite table and
  * `df.writeTo(..).createOrReplace()`: its rows are replaced as by INSERT OVERWRITE of the whole
  * table, or removed as by TRUNCATE. The statement must declare the facts and columns that the table
  * has. `df.write.mode("overwrite").saveAsTable(..)`, which Spark plans as REPLACE TABLE too,
  * declares nothing: the table keeps its facts and columns. A missing table is created. */
object LowerReplaceTable extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case replace @ ReplaceTable(
          ResolvedIdentifier(catalog: HudiliteTableCatalog, ident),
          columns,
          parts,
          spec: TableSpec,
          orCreate
        ) if replace.resolved && NewTableFormat.isOurs(replace) =>
      existing(catalog, ident, orCreate) match {
        case Existing.Ours(table) =>
          val info = DeclaredTable.of(columns, parts, spec, "REPLACE TABLE")
          val rows = TruncateTable(ResolvedTable.create(catalog, ident, table))
          redeclared(rows, catalog, ident, table, info, isQuery = false)
        case Existing.Missing =>
          CreateTable(replace.name, columns, parts, spec, ignoreIfExists = false)
        case Existing.Other => replace
      }
    case replace @ ReplaceTableAsSelect(
          ResolvedIdentifier(catalog: HudiliteTableCatalog, ident),
          parts,
          query,
          spec,
          options,
          orCreate,
          _
        ) if NewTableFormat.isOurs(replace) && (isSave(replace) || replace.resolved) =>
      existing(catalog, ident, orCreate) match {
        case Existing.Ours(table) =>
          val relation = DataSourceV2Relation.create(table, Some(catalog), Some(ident))
          val stated = if (isSave(replace)) OverwriteOption.ofSession(options) else options
          val rows = OverwriteByExpression.byName(relation, query, Literal.TrueLiteral, stated)
          spec match {
            case _ if isSave(replace) =>
              checkPartitions(relation, table, parts)
              rows
            case declared: TableSpec =>
              val info =
                DeclaredTable.ofQuery(query.schema, parts, WriteOptions.stated(declared, options))
              redeclared(rows, catalog, ident, table, info, isQuery = true)
            case _ => replace
          }
        case Existing.Missing =>
          val stated = if (isSave(replace)) OverwriteOption.ofNewTable(options) else options
          CreateTableAsSelect(replace.name, parts, query, spec, stated, ignoreIfExists = false)
        case Existing.Other => replace
      }
  }

  private def isSave(replace: ReplaceTableAsSelect): Boolean =
    replace.writeOptions.contains(WriteOptions.replacesRows)

  /** Object that a name stands for. */
  sealed private trait Existing

  private object Existing {
    final case class Ours(table: HudiliteTable) extends Existing
    case object Missing extends Existing
    case object Other extends Existing
  }

  /** Errors: TABLE_OR_VIEW_NOT_FOUND for a missing table that may not be created. */
  private def existing(
      catalog: HudiliteTableCatalog,
      ident: Identifier,
      orCreate: Boolean
  ): Existing =
    if (catalog.tableExists(ident))
      catalog.loadTable(ident) match {
        case table: HudiliteTable => Existing.Ours(table)
        case _ => Existing.Other
      }
    else if (orCreate) Existing.Missing
    else throw new CannotReplaceMissingTableException(ident, None)

  private def redeclared(
      rows: LogicalPlan,
      catalog: HudiliteTableCatalog,
      ident: Identifier,
      table: HudiliteTable,
      info: TableInfo,
      isQuery: Boolean
  ): LogicalPlan = {
    val name = catalog.name +: ident.namespace.toSeq :+ ident.name
    val changes = new Redeclaration(table, name, info, isQuery).changes
    if (changes.isEmpty) rows
    else {
      catalog.checkAlterable(ident) // before the rows are replaced
      RedeclareTable(rows, catalog, ident, changes)
    }
  }

  private def checkPartitions(
      relation: DataSourceV2Relation,
      table: HudiliteTable,
      parts: Seq[Transform]
  ): Unit =
    if (parts.nonEmpty && !declared(table).contains(parts.map(_.describe)))
      throw HudiliteTarget(relation, table, relation).unsupported(
        parts.map(_.describe).mkString("Partitioning by ", ", ", ""),
        table.partitioning.map(_.describe).mkString("Remove it, or write ", ", ", ".")
      )

  /** The partitioning of a table as `partitionBy` and `bucketBy` state it, and as `partitionBy` alone
    * does. */
  private def declared(table: HudiliteTable): Seq[Seq[String]] = {
    val all = table.partitioning.toSeq
    Seq(all, all.take(table.config.partitionFields.size)).map(_.map(_.describe))
  }
}
