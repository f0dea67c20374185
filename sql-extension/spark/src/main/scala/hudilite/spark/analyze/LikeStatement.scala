package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogUtils
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.command.CreateTableLikeCommand

/** Clauses of CREATE TABLE LIKE, whose node differs between versions of Spark.
  *
  * @param source     the other table, or its name
  * @param location   value of LOCATION
  * @param provider   value of USING
  * @param isHive     whether the statement has STORED AS or ROW FORMAT
  * @param properties value of TBLPROPERTIES */
private[analyze] final case class LikeStatement(
    target: TableIdentifier,
    source: Either[TableIdentifier, Table],
    location: Option[String],
    provider: Option[String],
    isHive: Boolean,
    properties: Map[String, String],
    ifNotExists: Boolean
)

private[analyze] object LikeStatement {

  /** Returns the clauses of the node for tables of Spark's session catalog. */
  def of(like: CreateTableLikeCommand): LikeStatement = LikeStatement(
    like.targetTable,
    Left(like.sourceTable),
    like.fileFormat.locationUri.map(CatalogUtils.URIToString),
    like.provider,
    like.fileFormat.inputFormat.nonEmpty || like.fileFormat.serde.nonEmpty,
    like.properties,
    like.ifNotExists
  )
}
