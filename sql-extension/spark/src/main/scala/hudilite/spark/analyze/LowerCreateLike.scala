package hudilite.spark.analyze

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.types.StructField

import hudilite.spark.catalog.{
  HudiliteTable,
  HudiliteTableCatalog,
  LikeTable,
  SessionParts,
  SessionTables
}
import hudilite.spark.error.AnalysisErrors

/** Rule that lowers CREATE TABLE LIKE of a hudilite table to a CREATE TABLE with the columns,
  * partition columns and facts of that table. With USING and another format, the new table has its
  * columns and partition columns. */
final case class LowerCreateLike(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case create @ LikeStatements(like) =>
      sourceOf(like) match {
        case Some(source) => lower(like, source)
        case None if like.provider.exists(isOurs) =>
          throw AnalysisErrors.of(
            "HUDILITE_UNSUPPORTED_STATEMENT",
            "statement" -> "CREATE TABLE LIKE a table of another format",
            "table" -> nameOf(like.target).identifier.toString,
            "fix" -> "Write CREATE TABLE with the columns of that table."
          )
        case None => create
      }
  }

  private def isOurs(provider: String): Boolean =
    provider.equalsIgnoreCase(SessionTables.provider)

  private def sourceOf(like: LikeStatement): Option[HudiliteTable] = like.source match {
    case Right(table: HudiliteTable) => Some(table)
    case Right(_) => None
    case Left(name) if classic.sessionState.catalog.isTempView(name) => None
    case Left(name) =>
      val tables = new SessionTables(classic)
      tables.find(name.copy(database = Some(databaseOf(name)))).map(tables.open)
  }

  private def lower(like: LikeStatement, source: HudiliteTable): LogicalPlan = {
    if (like.isHive)
      throw AnalysisErrors.of(
        "HUDILITE_UNSUPPORTED_CLAUSE",
        "clause" -> "STORED AS or ROW FORMAT",
        "table" -> nameOf(like.target).identifier.toString,
        "fix" -> "Remove it, or write USING and a format."
      )
    val provider = like.provider.getOrElse(SessionTables.provider)
    val properties =
      if (isOurs(provider)) LikeTable.properties(source, like.properties) else like.properties
    val columns = source.schema.map(column)
    CreateTable(
      nameOf(like.target),
      if (isOurs(provider)) columns else columns.map(_.copy(generationExpression = None)),
      LikeTable.partitions(source),
      TableSpec(properties, Some(provider), Map.empty, like.location, None, None, None,
        external = false, if (isOurs(provider)) LikeTable.checks(source) else Nil),
      like.ifNotExists
    )
  }

  /** Returns the declaration of a column. Spark's own conversion drops a default without a value for
    * older rows, which no column of a hudilite table has. */
  private def column(field: StructField): ColumnDefinition =
    ColumnDefinition.fromV1Column(field, CatalystSqlParser).copy(defaultValue =
      field.getCurrentDefaultValue().map(text =>
        DefaultValueExpression(CatalystSqlParser.parseExpression(text), text)
      )
    )

  /** Returns the new table's name in the catalog of the statement, if that is a HudiliteCatalog,
    * or else in the session's own. */
  private def nameOf(target: TableIdentifier): ResolvedIdentifier = {
    val state = classic.sessionState
    val catalog = (target.catalog ++ SessionParts.ownCatalog(conf))
      .map(state.catalogManager.catalog)
      .collectFirst { case own: HudiliteTableCatalog => own }
      .getOrElse(throw SessionParts.foreignCatalog(state.catalogManager.currentCatalog.name, conf))
    ResolvedIdentifier(catalog, Identifier.of(Array(databaseOf(target)), target.table))
  }

  /** Returns the database of a table: that of its name, or the current one. Spark 4.1 would take the
    * current database of spark_catalog, even if the current catalog is another one. */
  private def databaseOf(name: TableIdentifier): String = {
    val state = classic.sessionState
    def current = state.catalogManager.currentCatalog match {
      case _: HudiliteTableCatalog => state.catalogManager.currentNamespace.headOption
      case _ => None
    }
    name.database.orElse(current).getOrElse(state.catalog.getCurrentDatabase)
  }

  private def classic: org.apache.spark.sql.classic.SparkSession = CheckHudilite.classic(session)
}
