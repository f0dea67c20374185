package hudilite.spark

import java.util

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.json.JsonMapper
import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{SupportsV1OverwriteWithSaveAsTable, Table}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.execution.streaming.{Sink, Source}
import org.apache.spark.sql.sources.{
  BaseRelation,
  DataSourceRegister,
  RelationProvider,
  StreamSinkProvider,
  StreamSourceProvider
}
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.spark.catalog.{IncrementalQuery, SessionTables, TablePath, TimeTravel}
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.stream.{ChangeStream, StreamRead, StreamSink}

/** Data source `hudilite` of USING and `format(..)`. It opens tables by path; HudiliteCatalog opens
  * tables by name. Spark uses it as a RelationProvider only for a hudilite table that another
  * catalog, such as Delta's, has found by name; this always fails. */
final class HudiliteSource
    extends SupportsV1OverwriteWithSaveAsTable
    with DataSourceRegister
    with RelationProvider
    with StreamSourceProvider
    with StreamSinkProvider {

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
    "fix" -> "Use the table in a catalog that is set to hudilite.spark.HudiliteCatalog."
  )

  override def sourceSchema(
      context: SQLContext,
      schema: Option[StructType],
      providerName: String,
      parameters: Map[String, String]
  ): (String, StructType) =
    shortName() -> ChangeStream.schema(sessionOf(context), StreamRead.of(parameters))

  override def createSource(
      context: SQLContext,
      metadataPath: String,
      schema: Option[StructType],
      providerName: String,
      parameters: Map[String, String]
  ): Source = new ChangeStream(sessionOf(context), StreamRead.of(parameters))

  override def createSink(
      context: SQLContext,
      parameters: Map[String, String],
      partitionColumns: Seq[String],
      outputMode: OutputMode
  ): Sink = StreamSink.of(sessionOf(context), parameters, partitionColumns, outputMode)

  private def sessionOf(context: SQLContext): SparkSession = context.sparkSession match {
    case own: SparkSession => own
    case _ => SparkSession.active
  }

  /** Opens the table at the path, and returns it with its schema. */
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
