package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable}
import org.apache.spark.sql.catalyst.plans.logical.{CreateTableLike, LogicalPlan}
import org.apache.spark.sql.execution.command.CreateTableLikeCommand

/** Extractor of CREATE TABLE LIKE. Spark has one node for tables of its session catalog, and since
  * 4.2 another one for tables of other catalogs and kinds. */
private[analyze] object LikeStatements {
  def unapply(plan: LogicalPlan): Option[LikeStatement] = plan match {
    case like: CreateTableLikeCommand => Some(LikeStatement.of(like))
    case CreateTableLike(
          ResolvedIdentifier(catalog, ident),
          ResolvedTable(_, _, source, _),
          location,
          provider,
          serde,
          properties,
          ifNotExists
        ) =>
      Some(
        LikeStatement(
          TableIdentifier(ident.name, ident.namespace.headOption, Some(catalog.name)),
          Right(source),
          location,
          provider,
          serde.nonEmpty,
          properties,
          ifNotExists
        )
      )
    case _ => None
  }
}
