package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.catalog.CatalogUtils
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.command.CreateTableLikeCommand

/** Extractor of CREATE TABLE LIKE. */
private[analyze] object LikeStatements {
  def unapply(plan: LogicalPlan): Option[LikeStatement] = plan match {
    case like: CreateTableLikeCommand =>
      Some(
        LikeStatement(
          like.targetTable,
          Left(like.sourceTable),
          like.fileFormat.locationUri.map(CatalogUtils.URIToString),
          like.provider,
          like.fileFormat.inputFormat.nonEmpty || like.fileFormat.serde.nonEmpty,
          like.properties,
          like.ifNotExists
        )
      )
    case _ => None
  }
}
