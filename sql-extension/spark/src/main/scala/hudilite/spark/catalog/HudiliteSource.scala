package hudilite.spark.catalog

import java.util

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.json.JsonMapper
import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{SupportsV1OverwriteWithSaveAsTable, Table}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.{BaseRelation, DataSourceRegister, RelationProvider}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.spark.AnalysisErrors

/** The name `hudilite` in USING and in `format(..)`. Tables with a name are opened by
  * HudiliteCatalog, tables of a path here. As a RelationProvider it is asked only for a table that
  * another catalog, such as Delta's, has found under its name. */
final class HudiliteSource
    extends SupportsV1OverwriteWithSaveAsTable
    with DataSourceRegister
    with RelationProvider {

  override def shortName(): String = SessionTables.provider

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = open(options)._2

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table = open(new CaseInsensitiveStringMap(properties))._1

  override def createRelation(
      context: SQLContext,
      parameters: Map[String, String]
  ): BaseRelation = throw AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_STATEMENT",
    "statement" -> "Access through this catalog",
    "table" -> parameters.getOrElse("path", shortName()),
    "fix" -> "Name the table in a catalog that is set to hudilite.spark.HudiliteCatalog."
  )

  /** The table with its schema. */
  private def open(options: CaseInsensitiveStringMap): (Table, StructType) = {
    val several = Option(options.get("paths")).toSeq.flatMap { json =>
      new JsonMapper().readTree(json).elements.asScala.map(_.asText)
    }
    val paths = Option(options.get("path")).toSeq ++ several
    val session = SparkSession.active
    IncrementalQuery.of(options) match {
      case Some(query) =>
        val table = query.of(session, TablePath.open(session, paths))
        (table, table.schema)
      case None =>
        val travel = TimeTravel.of(options, paths.mkString(","))
        val table = TablePath.open(session, paths, travel)
        (table, table.schema)
    }
  }
}
