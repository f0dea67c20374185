package hudilite.spark.catalog

import java.util.UUID

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{
  NoSuchDatabaseException,
  NoSuchTableException,
  TableAlreadyExistsException
}
import org.apache.spark.sql.catalyst.catalog.{
  CatalogStorageFormat,
  CatalogTable,
  CatalogTableType,
  CatalogUtils
}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{TableCatalog, TableChange, TableInfo}
import org.apache.spark.sql.internal.SQLConf

import hudilite.format.{ChangedTable, IndexKind, TableConfig}
import hudilite.io.{Storage, StorageFault}
import hudilite.spark.error.{AnalysisErrors, Warnings}
import hudilite.spark.plan.HudiProvider
import hudilite.timeline.{TimelineFiles, TimelineLayout}
import hudilite.view.PartitionMetafile

/** Creates, opens, alters and drops hudilite tables: their entries in Spark's session catalog (in
  * memory or in a Hive metastore) and their folders. Runs on the driver.
  * @param catalog name of the catalog that shows the tables, which is part of their names */
final class SessionTables(spark: SparkSession, catalog: String = SessionParts.sessionCatalog) {

  private def entries = spark.sessionState.catalog

  /** @return the entry of a table with USING hudilite */
  def find(table: TableIdentifier): Option[CatalogTable] =
    entry(table).filter(SessionTables.isOurs)

  /** @return an entry that registers a Hudi table for other engines; without Hudi's jar Spark
    *         itself can neither open nor drop it */
  def registered(table: TableIdentifier): Option[CatalogTable] = entry(table).filter { entry =>
    entry.provider.contains("hudi") && entry.tableType == CatalogTableType.EXTERNAL
  }

  /** @return the entry of a table or view of any kind */
  def entry(table: TableIdentifier): Option[CatalogTable] =
    try Some(entries.getTableMetadata(table))
    catch { case _: NoSuchTableException | _: NoSuchDatabaseException => None }

  /** Opens the table of an entry. Errors: those of HudiliteTable.open. */
  def open(entry: CatalogTable): HudiliteTable = open(entry, None)

  /** Opens the table of an entry at an earlier state. */
  def open(entry: CatalogTable, travel: Option[TimeTravel]): HudiliteTable = HudiliteTable.open(
    spark,
    entry.identifier.copy(catalog = entry.identifier.catalog.map(_ => catalog)).unquotedString,
    new Path(entry.location),
    entry.properties ++ Map(
      TableCatalog.PROP_PROVIDER -> SessionTables.provider,
      TableCatalog.PROP_LOCATION -> CatalogUtils.URIToString(entry.location),
      TableCatalog.PROP_OWNER -> entry.owner
    ) ++ entry.comment.map(TableCatalog.PROP_COMMENT -> _) ++
      (if (entry.tableType == CatalogTableType.EXTERNAL) Map(TableCatalog.PROP_EXTERNAL -> "true")
       else Map(TableCatalog.PROP_IS_MANAGED_LOCATION -> "true")),
    travel = travel,
    entry = Some(entry.identifier)
  )

  /** Runs a CREATE TABLE: creates a new table, or adopts the Hudi table at its LOCATION.
    * Errors: those of [[create]], TableDeclaration.of, Adoption and Agreement. */
  def create(table: TableIdentifier, info: TableInfo): Unit = StorageFault.explained {
    val location = Option(info.properties.get(TableCatalog.PROP_LOCATION)).map(new Path(_))
    location.filter(holdsTable) match {
      case Some(basePath) => adopt(table, info, basePath)
      case None if TableDeclaration.columns(info).isEmpty =>
        location.foreach(checkForeign(table, _))
        throw AnalysisErrors.of(
          "HUDILITE_UNSUPPORTED_CLAUSE",
          "clause" -> "CREATE TABLE without columns",
          "table" -> table.unquotedString,
          "fix" -> location.fold("Declare the columns.")(path =>
            s"There is no Hudi table in $path. Declare the columns."
          )
        )
      case None => create(TableDeclaration.of(table, info))
    }
  }

  /** Creates a new table: its hoodie.properties, then its catalog entry. When the entry fails, the
    * files and folders created here are deleted again.
    * Errors: HUDILITE_LOCATION_NOT_EMPTY, HUDILITE_LOCATION_FOREIGN, HUDILITE_UNSAFE_STORAGE;
    * Spark's for a missing database and for an existing table. */
  def create(declaration: TableDeclaration): Unit = StorageFault.explained {
    entries.getDatabaseMetadata(declaration.table.database.getOrElse(entries.getCurrentDatabase))
    val basePath = declaration.location
      .map(new Path(_))
      .getOrElse(new Path(entries.defaultTablePath(declaration.table)))
    val (timeline, wasAbsent) = found(declaration, basePath)
    try enter(declaration, basePath)
    catch {
      case fault: Throwable =>
        Try(undo(timeline, wasAbsent)).failed.foreach(fault.addSuppressed)
        throw fault
    }
  }

  /** Creates the files of a new table.
    * @return its timeline, and whether its folder did not exist before */
  private def found(
      declaration: TableDeclaration,
      basePath: Path
  ): (TimelineFiles, Boolean) = {
    val timeline = HudiliteTable.newTimelineAt(spark, basePath, declaration.version)
    val wasAbsent = timeline.storage.status(basePath).isEmpty
    val config = declaration.config(UUID.randomUUID.toString)
    StockLockFact.check(timeline, config)
    timeline.storage.warning.foreach(Warnings.say)
    putFacts(declaration, timeline, config)
    (timeline, wasAbsent)
  }

  /** Creates a new table in a folder, without an entry in the catalog. The table is named by its
    * property, or else as the folder.
    * Errors: those of TableDeclaration.of; HUDILITE_LOCATION_NOT_EMPTY, HUDILITE_LOCATION_FOREIGN,
    * HUDILITE_UNSAFE_STORAGE. */
  def createAt(path: String, info: TableInfo): Unit = StorageFault.explained {
    val basePath = Storage.qualified(new Path(path), spark.sessionState.newHadoopConf())
    Option(info.properties.get(TableCatalog.PROP_LOCATION)).filter(new Path(_) != basePath)
      .foreach { location =>
        throw AnalysisErrors.of(
          "HUDILITE_UNSUPPORTED_CLAUSE",
          "clause" -> s"LOCATION '$location'",
          "table" -> TablePath.nameOf(path),
          "fix" -> "Remove it: the name says where the table is."
        )
      }
    val named = PropertyRules.facts(info.properties.asScala.toMap).get(PropertyRules.tableName)
    val table = TableIdentifier(named.filter(_.nonEmpty).getOrElse(basePath.getName))
    val declaration = TableDeclaration.of(table, info)
    found(declaration, basePath): Unit
  }

  /** Checks that the folder of a new table is empty.
    * @param location value of LOCATION; None: the default path of the table
    * Errors: HUDILITE_LOCATION_NOT_EMPTY, HUDILITE_LOCATION_FOREIGN. */
  def checkEmpty(table: TableIdentifier, location: Option[String]): Unit = {
    val basePath = location.map(new Path(_)).getOrElse(new Path(entries.defaultTablePath(table)))
    val storage = Storage.of(basePath, spark.sessionState.newHadoopConf())
    if (!SessionTables.isFree(storage, basePath))
      throw SessionTables.taken(storage, table, basePath)
  }

  /** Drops a table that was just created in an empty folder, with its files.
    * @return false if it has a commit; it stays then */
  def discard(entry: CatalogTable): Boolean = {
    val table = open(entry)
    val isUnused = table.snapshot.number == 0
    if (isUnused) {
      drop(entry, purge = true)
      table.timeline.deleteMetadata()
      removeHollow(table.storage, table.basePath)
    }
    isUnused
  }

  /** Deletes the files of a table by path that was just created in an empty folder.
    * @return false if it has a commit; it stays then */
  def discardAt(path: String): Boolean = {
    val table = TablePath.open(spark, Seq(path))
    val isUnused = table.snapshot.number == 0
    if (isUnused) undo(table.timeline, wasAbsent = true)
    isUnused
  }

  /** Deletes partition folders that a failed write left without data files: those that contain
    * nothing but Hudi's partition metadata file. */
  private def removeHollow(storage: Storage, folder: Path): Unit = {
    storage.list(folder).filter(_.isDirectory).foreach(e => removeHollow(storage, e.path))
    if (storage.names(folder).forall(_ == PartitionMetafile.fileName))
      storage.deleteTree(folder): Unit
  }

  private def adopt(table: TableIdentifier, info: TableInfo, basePath: Path): Unit = {
    entries.getDatabaseMetadata(table.database.getOrElse(entries.getCurrentDatabase))
    val user = PropertyRules.userProperties(info.properties.asScala.toMap)
    val found = HudiliteTable.open(spark, table.unquotedString, basePath, Map.empty)
    val declared = TableDeclaration.columns(info)
    val asked =
      AskedFacts.of(table, if (declared.isEmpty) found.schema else declared, info)
    val stated = found.stating(asked.dates)
    val learned = new Adoption(spark, stated).learned(asked)
    Agreement.check(asked, learned, found.schema)
    val facts = TableConfig(learned.properties ++ asked.tuned)
    if (facts.hasStockLock != found.config.hasStockLock) StockLockFact.check(found.timeline, facts)
    val schema = Agreement.columns(declared, found.schema)
    val declaration = TableDeclaration(
      table,
      schema,
      facts.recordKeyFields,
      facts.partitionFields,
      facts.index,
      facts.orderingFields,
      None,
      isExternal = true,
      user,
      None,
      facts.isGlobalIndex,
      version = facts.version
    )
    val config = if (schema == found.schema) facts else HudiliteTable.withColumns(facts, schema)
    if (config != found.config) HudiliteTable.rewrite(stated, config)
    enter(TableDeclaration.withPlace(declaration, info), basePath)
    config.index match {
      case IndexKind.Bucket(count, _) =>
        val newest = found.snapshot.lastInstant.flatMap(found.snapshot.metadata)
        BucketSizeWarning.give(found, count, newest.toSeq.flatMap(_.stats))
      case IndexKind.Bloom => ()
    }
  }

  /** Returns the base path of a new table.
    * @param location value of LOCATION; None: the default path of the table
    * Errors: Spark's for a missing database and for an existing table. */
  def placeOf(table: TableIdentifier, location: Option[String]): Path = {
    entries.getDatabaseMetadata(table.database.getOrElse(entries.getCurrentDatabase))
    if (entry(table).isDefined) throw new TableAlreadyExistsException(table.nameParts)
    Storage.qualified(
      location.map(new Path(_)).getOrElse(new Path(entries.defaultTablePath(table))),
      spark.sessionState.newHadoopConf()
    )
  }

  /** Creates the catalog entry of a table whose files exist already. */
  def enter(declaration: TableDeclaration, basePath: Path): Unit = entries.createTable(
    entryOf(declaration, basePath),
    ignoreIfExists = false,
    validateLocation = false
  )

  /** Removes the catalog entry. Deletes the folder of a managed table only if it still contains a
    * Hudi table.
    * @param purge whether the files skip the trash */
  def drop(entry: CatalogTable, purge: Boolean): Unit = {
    val basePath = new Path(entry.location)
    val isManaged = entry.tableType == CatalogTableType.MANAGED
    if (isManaged && !holdsTable(basePath)) entries.alterTable(
      entry.copy(tableType = CatalogTableType.EXTERNAL)
    )
    entries.invalidateCachedTable(entry.identifier)
    entries.dropTable(entry.identifier, ignoreIfNotExists = true, purge = purge)
  }

  /** Fails for an entry of stock Hudi, which stays as it is.
    * Errors: HUDILITE_UNSUPPORTED_STATEMENT. */
  def checkOwn(entry: CatalogTable): Unit =
    if (!entry.provider.exists(_.equalsIgnoreCase(SessionTables.provider)))
      throw AnalysisErrors.of(
        "HUDILITE_UNSUPPORTED_STATEMENT",
        "statement" -> "ALTER TABLE of an entry of stock Hudi",
        "table" -> entry.identifier.unquotedString,
        "fix" -> s"Run CREATE TABLE name USING hudilite LOCATION '${entry.location}', and use the name."
      )

  /** Runs ALTER TABLE and COMMENT ON.
    * @param rewrite rewrites every base file of the table, as one commit
    * Errors: those of TableAlteration. */
  def alter(entry: CatalogTable, changes: Seq[TableChange])(
      rewrite: (HudiliteTable, ColumnChanges) => Unit
  ): Unit = {
    checkOwn(entry)
    val table = open(entry)
    val name = entry.identifier.database.toSeq :+ entry.identifier.table
    val written = SessionParts.nameIn(spark, catalog, name)
    val altered = new TableAlteration(entry, table, written, rewrite(table, _)).run(changes)
    if (altered.schema != entry.schema)
      entries.alterTableSchema(entry.identifier, altered.schema)
    val other = altered.copy(schema = entry.schema)
    if (other != entry) entries.alterTable(altered)
    entries.refreshTable(entry.identifier)
  }

  /** Renames a table in the catalog and in its hoodie.properties: stock Hudi compares that name
    * with the one of its writer. The properties of a table that is only read stay as they are. */
  def rename(entry: CatalogTable, to: TableIdentifier): Unit = {
    entries.renameTable(entry.identifier, to)
    entries.refreshTable(entry.identifier)
    find(to).foreach { renamed =>
      val table = open(renamed)
      if (table.isWritable)
        HudiliteTable.rewrite(
          table,
          ChangedTable.renamed(table.config, to.table, table.config.database)
        )
    }
  }

  /** Whether a location contains a Hudi table. */
  def holdsTable(basePath: Path): Boolean =
    HudiliteTable.isAt(spark, basePath)

  /** Errors: HUDILITE_LOCATION_FOREIGN. */
  private def checkForeign(table: TableIdentifier, basePath: Path): Unit =
    ForeignTable.in(Storage.of(basePath, spark.sessionState.newHadoopConf()), basePath)
      .foreach(of => throw SessionTables.foreign(table, of))

  private def putFacts(
      declaration: TableDeclaration,
      timeline: TimelineFiles,
      config: TableConfig
  ): Unit = {
    val storage = timeline.storage
    val isFree = SessionTables.isFree(storage, timeline.basePath)
    if (!isFree || !storage.createNew(timeline.properties, TableConfig.render(config)))
      if (entry(declaration.table).isDefined)
        throw new TableAlreadyExistsException(declaration.table.nameParts)
      else throw SessionTables.taken(storage, declaration.table, timeline.basePath)
  }

  private def entryOf(declaration: TableDeclaration, basePath: Path): CatalogTable = CatalogTable(
    identifier = declaration.table,
    tableType =
      if (declaration.isExternal) CatalogTableType.EXTERNAL else CatalogTableType.MANAGED,
    storage = CatalogStorageFormat.empty.copy(locationUri = Some(basePath.toUri)),
    // No partition columns here: Spark would move them to the end of the schema.
    schema = declaration.schema,
    provider = Some(SessionTables.provider),
    properties = declaration.properties,
    comment = declaration.comment,
    tracksPartitionsInCatalog = false
  )

  /** Deletes the files of a table that was just created and has no commit, and its empty folders.
    * @param wasAbsent whether the base path did not exist before; it is deleted too if empty */
  def undo(timeline: TimelineFiles, wasAbsent: Boolean): Unit = {
    val (storage, basePath) = (timeline.storage, timeline.basePath)
    storage.delete(timeline.properties)
    timeline.deleteMetadata()
    storage.list(basePath).filter(_.isDirectory).foreach(e => removeHollow(storage, e.path))
    if (wasAbsent && storage.list(basePath).isEmpty) storage.deleteTree(basePath): Unit
  }
}

object SessionTables {

  /** Provider name in USING. */
  val provider: String = HudiProvider.hudilite

  /** Whether a folder is free for a new table: it is empty, or has only an empty metadata folder
    * and empty partition folders. A crash during creation leaves these, or a task that still ran
    * when its table was deleted. */
  private def isFree(storage: Storage, basePath: Path): Boolean = {
    def isHollow(folder: Path): Boolean =
      storage.list(folder).forall(entry => entry.isDirectory && isHollow(entry.path))
    storage.list(basePath).forall { entry =>
      entry.isDirectory && (TimelineLayout.isMetadata(entry.name) || entry.name.contains('=')) &&
      isHollow(entry.path)
    }
  }

  /** Error for a new table in a non-empty folder; names Delta or Iceberg if it is theirs. */
  private def taken(storage: Storage, table: TableIdentifier, basePath: Path) =
    ForeignTable.in(storage, basePath).fold(
      AnalysisErrors.of(
        "HUDILITE_LOCATION_NOT_EMPTY",
        "table" -> table.unquotedString,
        "path" -> basePath.toString
      )
    )(foreign(table, _))

  /** Error for a new table in the folder of another project's table. */
  private def foreign(table: TableIdentifier, of: ForeignTable) = AnalysisErrors.of(
    "HUDILITE_LOCATION_FOREIGN",
    "table" -> table.unquotedString,
    "path" -> of.folder.toString,
    "format" -> of.project
  )

  /** Whether a new table is a hudilite table.
    * @param named provider of the statement; without one it is that of `spark.sql.sources.default` */
  def isOurs(named: Option[String], conf: SQLConf): Boolean =
    named.getOrElse(conf.defaultDataSourceName).equalsIgnoreCase(provider)

  /** Whether an entry is that of a hudilite table. An entry of stock Hudi that shows the base files of
    * a merge-on-read table alone is none. */
  def isOurs(entry: CatalogTable): Boolean =
    entry.provider.exists(HudiProvider.isOurs) &&
      !entry.storage.properties.get(baseFilesOnly).exists(_.equalsIgnoreCase("true"))

  /** Property of stock Hudi's entry for read-optimized queries. */
  private val baseFilesOnly = "hoodie.query.as.ro.table"
}
