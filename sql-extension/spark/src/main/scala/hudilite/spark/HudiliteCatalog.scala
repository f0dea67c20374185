package hudilite.spark

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.hudilite.PlainTables
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.spark.catalog.{
  ColumnChanges,
  CreationCatalog,
  HudiliteTable,
  HudiliteTableCatalog,
  ProcedureProvider,
  SessionParts,
  SessionTables,
  TableCaches,
  TablePath,
  TimeTravel
}
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.hive.SyncBehind
import hudilite.spark.meta.{MetadataTable, OtherLists}
import hudilite.spark.plan.ColumnBucket

/** Catalog of tables with USING hudilite; delegates everything else to the session catalog.
  *
  * Set as `spark_catalog`, it wraps Spark's session catalog. Under another name it wraps whatever
  * `spark_catalog` is, so that both have the same databases and tables. */
class HudiliteCatalog
    extends DelegatingCatalogExtension
    with ProcedureCatalog
    with HudiliteTableCatalog {

  private var ownName = SessionParts.sessionCatalog

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = {
    ownName = name
    // For spark_catalog alone, Spark sets the session catalog as delegate itself, after this call.
    if (name != SessionParts.sessionCatalog)
      setDelegateCatalog(
        spark.sessionState.catalogManager.catalog(SessionParts.sessionCatalog)
      )
  }

  override def name: String = ownName

  override def capabilities: util.Set[TableCatalogCapability] =
    (super.capabilities.asScala.toSet + TableCatalogCapability.SUPPORT_COLUMN_DEFAULT_VALUE +
      TableCatalogCapability.SUPPORT_TABLE_CONSTRAINT + generated).asJava

  private val generated = TableCatalogCapability.SUPPORTS_CREATE_TABLE_WITH_GENERATED_COLUMNS

  override def tableExists(ident: Identifier): Boolean =
    if (isPath(ident)) TablePath.exists(spark, ident.name)
    else ours(ident).isDefined || super.tableExists(ident)

  override def loadTable(ident: Identifier): Table =
    if (isPath(ident))
      TableCaches.opened(TablePath.open(spark, Seq(ident.name)), nameOf(ident))
    else
      ours(ident)
        .map(entry => TableCaches.opened(tables.open(entry), nameOf(ident)))
        .orElse(listed(ident))
        .getOrElse(others(super.loadTable(ident)))

  private def nameOf(ident: Identifier): Seq[String] = name +: ident.namespace.toSeq :+ ident.name

  /** Loads a table for a write, which the rules of hudilite's session extension must lower.
    * Errors: HUDILITE_SESSION_NOT_READY for a hudilite table in a session without the extension. */
  override def loadTable(
      ident: Identifier,
      privileges: util.Set[TableWritePrivilege]
  ): Table = {
    val table = loadTable(ident)
    if (table.isInstanceOf[HudiliteTable]) SessionParts.demandExtension(spark)
    table
  }

  override def loadTable(ident: Identifier, version: String): Table =
    earlier(ident, TimeTravel.ofVersion(version)).getOrElse(super.loadTable(ident, version))

  override def loadTable(ident: Identifier, timestamp: Long): Table =
    earlier(ident, TimeTravel.Timestamp(timestamp)).getOrElse(super.loadTable(ident, timestamp))

  override def createTable(ident: Identifier, info: TableInfo): Table =
    if (isOurs(info.properties)) {
      SessionParts.demandExtension(spark)
      if (isPath(ident)) tables.createAt(ident.name, info)
      else tables.create(tableOf(ident), info)
      loadTable(ident)
    } else {
      def refused(clause: String, what: String, which: String) = AnalysisErrors.of(
        "HUDILITE_UNSUPPORTED_CLAUSE",
        "clause" -> clause,
        "table" -> ident.toString,
        "fix" -> s"$what need USING hudilite. Remove $which, or write USING hudilite."
      )
      info.constraints.headOption.foreach(constraint =>
        throw refused(constraint.toDDL, "Constraints", "the constraint")
      )
      if (!sessionCatalog.capabilities.contains(generated))
        info.columns.flatMap(column => Option(column.generationExpression)).foreach(text =>
          throw refused(s"GENERATED ALWAYS AS ($text)", "Generated columns", "the clause")
        )
      sessionCatalog.createTable(ident, info)
    }

  override def createTable(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): Table =
    if (isOurs(properties))
      createTable(
        ident,
        new TableInfo.Builder()
          .withColumns(columns)
          .withPartitions(partitions)
          .withProperties(properties)
          .build()
      )
    else super.createTable(ident, columns, partitions, properties)

  override def alterTable(ident: Identifier, changes: TableChange*): Table =
    ours(ident).fold(super.alterTable(ident, changes: _*)) { entry =>
      tables.alter(entry, changes)((table, _) =>
        throw AnalysisErrors.of(
          "HUDILITE_UNSUPPORTED_STATEMENT",
          "statement" -> "A column change through the catalog API that rewrites files",
          "table" -> table.name,
          "fix" -> "Run it as SQL: ALTER TABLE."
        )
      )
      SyncBehind(tables.open(entry))
      loadTable(ident)
    }

  override def checkAlterable(ident: Identifier): Unit = ours(ident).foreach(tables.checkOwn)

  override def alterColumns(ident: Identifier, changes: Seq[TableChange])(
      rewrite: (HudiliteTable, ColumnChanges) => Unit
  ): Unit = ours(ident).foreach { entry =>
    tables.alter(entry, changes)(rewrite)
    SyncBehind(tables.open(entry))
  }

  override def renameTable(from: Identifier, to: Identifier): Unit =
    ours(from).fold(super.renameTable(from, to))(tables.rename(_, tableOf(to)))

  override def dropTable(ident: Identifier): Boolean =
    ours(ident).orElse(tables.registered(tableOf(ident))).fold(super.dropTable(ident)) { entry =>
      tables.drop(entry, purge = false)
      true
    }

  override def purgeTable(ident: Identifier): Boolean =
    ours(ident).fold(super.purgeTable(ident)) { entry =>
      tables.drop(entry, purge = true)
      true
    }

  override def loadProcedure(ident: Identifier): UnboundProcedure =
    ProcedureProvider.find(this, ident.namespace.toSeq, ident.name)

  override def listProcedures(namespace: Array[String]): Array[Identifier] =
    ProcedureProvider.names(this).map(Identifier.of(Array(ProcedureProvider.namespace), _)).toArray

  override def loadFunction(ident: Identifier): UnboundFunction =
    ownFunction(ident).getOrElse(super.loadFunction(ident))

  override def functionExists(ident: Identifier): Boolean =
    ownFunction(ident).nonEmpty || super.functionExists(ident)

  /** Finds the bucket function of a table by its name; these functions have no namespace. */
  private def ownFunction(ident: Identifier): Option[UnboundFunction] =
    Option.when(ident.namespace.isEmpty)(ident.name).flatMap(ColumnBucket.named)

  private def spark: SparkSession = SparkSession.active

  private def tables: SessionTables = new SessionTables(spark, ownName)

  private def sessionCatalog: TableCatalog = delegate match {
    case catalog: TableCatalog => catalog
    case other => throw new IllegalStateException(s"INTERNAL: ${other.name} has no tables")
  }

  override def forCreation: TableCatalog = new CreationCatalog(this, tables)

  private def ours(ident: Identifier): Option[CatalogTable] = {
    if (isPath(ident))
      throw AnalysisErrors.of(
        "HUDILITE_UNSUPPORTED_STATEMENT",
        "statement" -> "This statement by path",
        "table" -> TablePath.nameOf(ident.name),
        "fix" -> "Run CREATE TABLE name USING hudilite LOCATION '...', and use the name."
      )
    Option.when(ident.namespace.length == 1)(tableOf(ident)).flatMap(tables.find)
  }

  /** Finds the metadata table that `t.files` or `db.t.files` names; `t` alone is a table of the
    * current database. A table with the name `files` in a database `t` comes first.
    * Errors: HUDILITE_UNSUPPORTED_STATEMENT for a metadata table that only Iceberg has. */
  private def listed(ident: Identifier, travel: Option[TimeTravel] = None): Option[Table] = {
    def table(names: Seq[String]) = names match {
      case Seq(table) => currentDatabase.map(of => TableIdentifier(table, Some(of)))
      case Seq(database, table) => Some(TableIdentifier(table, Some(database)))
      case _ => None
    }
    Option
      .when(MetadataTable.isList(ident.name) || OtherLists.isName(ident.name))(
        ident.namespace.toSeq
      )
      .flatMap(table)
      .filter(_ => ident.namespace.length > 1 || tables.entry(tableOf(ident)).isEmpty)
      .flatMap(tables.find)
      .map { entry =>
        val of = tables.open(entry, travel)
        if (MetadataTable.isList(ident.name)) MetadataTable.open(of, ident.name)
        else throw OtherLists.refused(ident.name, inNames(ident.namespace.toSeq), of)
      }
  }

  /** Name in SQL of a table of this catalog. */
  private def inNames(parts: Seq[String]): String = SessionParts.nameIn(spark, ownName, parts)

  /** Returns the current database of the session; None if its current catalog is another one. */
  private def currentDatabase: Option[String] = {
    val catalogs = spark.sessionState.catalogManager
    Option.when(catalogs.currentCatalog.name == ownName)(catalogs.currentNamespace.toSeq)
      .flatMap(_.headOption)
  }

  private def earlier(ident: Identifier, travel: TimeTravel): Option[Table] =
    if (isPath(ident)) Some(TablePath.open(spark, Seq(ident.name), Some(travel)))
    else ours(ident).map(tables.open(_, Some(travel))).orElse(listed(ident, Some(travel)))

  private def isPath(ident: Identifier): Boolean = TablePath.isPath(ident)

  private def tableOf(ident: Identifier): TableIdentifier =
    TableIdentifier(ident.name, ident.namespace.headOption)

  private def others(table: Table): Table =
    if (ownName == SessionParts.sessionCatalog) table else PlainTables.untracked(table)

  private def isOurs(properties: util.Map[String, String]): Boolean =
    SessionTables.isOurs(Option(properties.get(TableCatalog.PROP_PROVIDER)), SQLConf.get)
}
