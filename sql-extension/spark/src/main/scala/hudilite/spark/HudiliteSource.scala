package hudilite.spark

import java.util

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.json.JsonMapper
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
import org.apache.spark.sql.{Dataset, Row, SQLContext, SaveMode}

import hudilite.spark.catalog.{
  AbsentTable,
  HudiliteTable,
  IncrementalQuery,
  SessionParts,
  SessionTables,
  TablePath,
  TimeTravel,
  WrittenByPath
}
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.stream.{ChangeStream, StreamRead, StreamSink}

/** Data source `hudilite` of USING and `format(..)`. It opens tables by path; HudiliteCatalog opens
  * tables by name. Spark uses it as a RelationProvider only for a path without a table, and for a
  * hudilite table that another catalog, such as Delta's, has found by name; this always fails. */
class HudiliteSource
    extends SupportsV1OverwriteWithSaveAsTable
    with DataSourceRegister
    with RelationProvider
    with StreamSourceProvider
    with StreamSinkProvider
    with WrittenByPath {

  override def shortName(): String = SessionTables.provider

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    found(options).fold(_.schema, _._2)

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table = found(new CaseInsensitiveStringMap(properties)).fold(identity, _._1)

  override def createRelation(
      context: SQLContext,
      parameters: Map[String, String]
  ): BaseRelation = {
    parameters.get("path").foreach(path => TablePath.open(session, Seq(path)))
    throw AnalysisErrors.of(
      "HUDILITE_UNSUPPORTED_STATEMENT",
      "statement" -> "Access through this catalog",
      "table" -> parameters.getOrElse("path", shortName()),
      "fix" -> "Use the table in a catalog that is set to hudilite.spark.HudiliteCatalog."
    )
  }

  /** Runs only in a session without the extension, whose rule replaces the write otherwise. */
  override def createRelation(
      context: SQLContext,
      mode: SaveMode,
      parameters: Map[String, String],
      rows: Dataset[Row]
  ): BaseRelation = {
    SessionParts.demandExtension(session)
    throw new IllegalStateException("INTERNAL: a write by path was not lowered")
  }

  override def sourceSchema(
      context: SQLContext,
      schema: Option[StructType],
      providerName: String,
      parameters: Map[String, String]
  ): (String, StructType) =
    shortName() -> ChangeStream.schema(of(context), StreamRead.of(parameters))

  override def createSource(
      context: SQLContext,
      metadataPath: String,
      schema: Option[StructType],
      providerName: String,
      parameters: Map[String, String]
  ): Source = {
    val planned = schema.getOrElse(
      throw new IllegalStateException("INTERNAL: KeepStreamColumns has not run on a stream")
    )
    new ChangeStream(of(context), StreamRead.of(parameters), planned)
  }

  override def createSink(
      context: SQLContext,
      parameters: Map[String, String],
      partitionColumns: Seq[String],
      outputMode: OutputMode
  ): Sink = StreamSink.of(of(context), parameters, partitionColumns, outputMode)

  /** Checks that the session asks for hudilite by this name. */
  protected def checkAsked(): Unit = ()

  /** Returns the table as a read shows it, with its schema. */
  protected def shown(table: HudiliteTable): (Table, StructType) = (table, table.schema)

  private def session: SparkSession = {
    checkAsked()
    SparkSession.active
  }

  private def of(context: SQLContext): SparkSession = {
    checkAsked()
    context.sparkSession match {
      case own: SparkSession => own
      case _ => SparkSession.active
    }
  }

  /** Opens the table at the path, or returns an absent table: the path may be that of a write. */
  private def found(
      options: CaseInsensitiveStringMap
  ): Either[AbsentTable, (Table, StructType)] = {
    val paths = pathsOf(options)
    opened(options, paths).left.map { missing =>
      if (options.containsKey("paths")) throw TablePath.absent(session, missing)
      new AbsentTable(paths.mkString)
    }
  }

  private def pathsOf(options: CaseInsensitiveStringMap): Seq[String] = {
    val several = Option(options.get("paths")).toSeq.flatMap { json =>
      new JsonMapper().readTree(json).elements.asScala.map(_.asText)
    }
    Option(options.get("path")).toSeq ++ several
  }

  /** Opens the table at the paths, and returns it with its schema, or the first path of none. */
  private def opened(
      options: CaseInsensitiveStringMap,
      paths: Seq[String]
  ): Either[String, (Table, StructType)] = {
    val spark = session
    IncrementalQuery.of(options) match {
      case Some(query) =>
        TablePath.opened(spark, paths).map { whole =>
          val table = query.of(spark, whole)
          (table, table.schema)
        }
      case None =>
        val travel = TimeTravel.of(options, paths.mkString(","))
        TablePath.opened(spark, paths, travel).map(shown)
    }
  }
}
