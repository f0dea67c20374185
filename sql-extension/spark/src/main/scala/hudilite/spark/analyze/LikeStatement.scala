package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.connector.catalog.Table

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
