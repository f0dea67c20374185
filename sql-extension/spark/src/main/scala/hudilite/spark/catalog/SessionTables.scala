package hudilite.spark.catalog

import java.util.UUID

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

import hudilite.format.TableConfig
import hudilite.io.Storage
import hudilite.spark.AnalysisErrors
import hudilite.view.PartitionMetafile

/** Entries of hudilite tables in Spark's own session catalog, in memory or in a Hive metastore,
  * and the folders that belong to them. */
final class SessionTables(spark: SparkSession) {

  private def entries = spark.sessionState.catalog

  /** @return the entry of a table with USING hudilite */
  def find(table: TableIdentifier): Option[CatalogTable] =
    entry(table).filter(SessionTables.isOurs)

  /** @return the entry of a table or view of any kind */
  def entry(table: TableIdentifier): Option[CatalogTable] =
    try Some(entries.getTableMetadata(table))
    catch { case _: NoSuchTableException | _: NoSuchDatabaseException => None }

  /** Opens the table of an entry. Errors: those of HudiliteTable.open. */
  def open(entry: CatalogTable): HudiliteTable = HudiliteTable.open(
    spark,
    entry.identifier.unquotedString,
    new Path(entry.location),
    entry.properties ++ Map(
      "provider" -> SessionTables.provider,
      "location" -> CatalogUtils.URIToString(entry.location),
      "owner" -> entry.owner
    ) ++ entry.comment.map("comment" -> _) ++
      Option.when(entry.tableType == CatalogTableType.EXTERNAL)("external" -> "true")
  )

  /** Makes a table: its hoodie.properties, then its entry. When the entry fails, what was made
    * here is removed again.
    * Errors: HUDILITE_LOCATION_NOT_EMPTY, HUDILITE_UNSAFE_STORAGE; Spark's for a database that is
    * absent and a table that exists. */
  def create(declaration: TableDeclaration): Unit = {
    entries.getDatabaseMetadata(declaration.table.database.getOrElse(entries.getCurrentDatabase))
    val basePath = declaration.location
      .map(new Path(_))
      .getOrElse(new Path(entries.defaultTablePath(declaration.table)))
    val storage = Storage.of(basePath, spark.sessionState.newHadoopConf())
    val wasAbsent = storage.status(basePath).isEmpty
    val config = declaration.config(UUID.randomUUID.toString)
    putFacts(declaration, basePath, storage, config)
    try entries.createTable(entryOf(declaration, basePath), ignoreIfExists = false,
        validateLocation = false)
    catch {
      case fault: Throwable =>
        Try(undo(basePath, storage, wasAbsent)).failed.foreach(fault.addSuppressed)
        throw fault
    }
  }

  /** Refuses a place for a new table in which something lies.
    * @param location what LOCATION says
    * Errors: HUDILITE_LOCATION_NOT_EMPTY. */
  def checkEmpty(table: TableIdentifier, location: Option[String]): Unit = {
    val basePath = location.map(new Path(_)).getOrElse(new Path(entries.defaultTablePath(table)))
    val storage = Storage.of(basePath, spark.sessionState.newHadoopConf())
    if (storage.list(basePath).nonEmpty) throw SessionTables.notEmpty(table, basePath)
  }

  /** Takes back a table that has just been made in an empty place.
    * @return false where it has a commit, and stays */
  def discard(entry: CatalogTable): Boolean = {
    val table = open(entry)
    val isUnused = table.snapshot.number == 0
    if (isUnused) {
      drop(entry)
      table.storage.deleteTree(new Path(table.basePath, ".hoodie"))
      removeHollow(table.storage, table.basePath)
    }
    isUnused
  }

  /** Removes what a failed write leaves of its partitions: folders without a file in them. */
  private def removeHollow(storage: Storage, folder: Path): Unit = {
    storage.list(folder).filter(_.isDirectory).foreach(e => removeHollow(storage, e.path))
    if (storage.names(folder).forall(_ == PartitionMetafile.fileName)) storage.deleteTree(folder): Unit
  }

  /** Removes the entry, and the folder of a managed table if a hudilite table still lies there. */
  def drop(entry: CatalogTable): Unit = {
    val basePath = new Path(entry.location)
    val isManaged = entry.tableType == CatalogTableType.MANAGED
    if (isManaged && !holdsTable(basePath)) entries.alterTable(
      entry.copy(tableType = CatalogTableType.EXTERNAL)
    )
    entries.invalidateCachedTable(entry.identifier)
    entries.dropTable(entry.identifier, ignoreIfNotExists = true, purge = false)
  }

  private def holdsTable(basePath: Path): Boolean =
    Storage.of(basePath, spark.sessionState.newHadoopConf())
      .status(HudiliteTable.propertiesFile(basePath))
      .isDefined

  private def putFacts(
      declaration: TableDeclaration,
      basePath: Path,
      storage: Storage,
      config: TableConfig
  ): Unit = {
    val file = HudiliteTable.propertiesFile(basePath)
    val isEmpty = storage.list(basePath).isEmpty
    if (!isEmpty || !storage.createNew(file, TableConfig.render(config)))
      if (entry(declaration.table).isDefined)
        throw new TableAlreadyExistsException(declaration.table.nameParts)
      else throw SessionTables.notEmpty(declaration.table, basePath)
  }

  private def entryOf(declaration: TableDeclaration, basePath: Path): CatalogTable = CatalogTable(
    identifier = declaration.table,
    tableType =
      if (declaration.isExternal) CatalogTableType.EXTERNAL else CatalogTableType.MANAGED,
    storage = CatalogStorageFormat.empty.copy(locationUri = Some(basePath.toUri)),
    // Partition columns stay where they were declared; Spark's entry would move them to the end.
    schema = declaration.schema,
    provider = Some(SessionTables.provider),
    properties = declaration.properties,
    comment = declaration.comment,
    tracksPartitionsInCatalog = false
  )

  private def undo(basePath: Path, storage: Storage, wasAbsent: Boolean): Unit = {
    storage.delete(HudiliteTable.propertiesFile(basePath))
    storage.deleteTree(new Path(basePath, ".hoodie"))
    if (wasAbsent && storage.list(basePath).isEmpty) storage.deleteTree(basePath)
  }
}

object SessionTables {

  /** What USING says. */
  val provider: String = "hudilite"

  private def notEmpty(table: TableIdentifier, basePath: Path) = AnalysisErrors.of(
    "HUDILITE_LOCATION_NOT_EMPTY",
    "table" -> table.unquotedString,
    "path" -> basePath.toString
  )

  def isOurs(entry: CatalogTable): Boolean = entry.provider.exists(_.equalsIgnoreCase(provider))
}
