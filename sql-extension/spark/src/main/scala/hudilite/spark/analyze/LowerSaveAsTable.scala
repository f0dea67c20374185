package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import hudilite.spark.catalog.{
  HudiliteTable,
  HudiliteTableCatalog,
  SessionTables,
  WriteOptions
}

/** Rule for `df.write.mode("overwrite").saveAsTable(..)`, which Spark plans as REPLACE TABLE. An
  * existing hudilite table keeps its facts and columns, and only its rows are replaced. A missing
  * table is created. */
object LowerSaveAsTable extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case replace @ ReplaceTableAsSelect(
          ResolvedIdentifier(catalog: HudiliteTableCatalog, ident),
          parts,
          query,
          spec,
          options,
          _,
          _
        ) if options.contains(WriteOptions.replacesRows) && isOurs(spec) =>
      if (!catalog.tableExists(ident))
        CreateTableAsSelect(replace.name, parts, query, spec, options, ignoreIfExists = false)
      else overwrite(replace, catalog, ident, parts)
  }

  private def isOurs(spec: TableSpecBase): Boolean =
    spec.provider.exists(_.equalsIgnoreCase(SessionTables.provider))

  private def overwrite(
      replace: ReplaceTableAsSelect,
      catalog: HudiliteTableCatalog,
      ident: Identifier,
      parts: Seq[Transform]
  ): LogicalPlan = catalog.loadTable(ident) match {
    case table: HudiliteTable =>
      val relation = DataSourceV2Relation.create(table, Some(catalog), Some(ident))
      if (parts.nonEmpty && parts.map(_.describe) != table.partitioning.toSeq.map(_.describe))
        throw HudiliteTarget(relation, table, relation).unsupported(
          parts.map(_.describe).mkString("Partitioning by ", ", ", ""),
          table.partitioning.map(_.describe).mkString("Remove it, or write ", ", ", ".")
        )
      OverwriteByExpression.byName(relation, replace.query, Literal.TrueLiteral,
        replace.writeOptions)
    case _ => replace
  }
}
