package hudilite.spark.catalog

import java.util
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters._

import org.apache.avro.AvroRuntimeException
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{
  CatalogStorageFormat,
  CatalogTable,
  CatalogTableType,
  CatalogUtils
}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.constraints.Constraint
import org.apache.spark.sql.connector.catalog.{
  MetadataColumn,
  SupportsMetadataColumns,
  SupportsRead,
  Table,
  TableCapability
}
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.hudilite.StreamedTable
import org.apache.spark.sql.types._
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.commit.{AsOf, CommitLog, DetachMetadata}
import hudilite.format.{IndexKind, MetaFields, TableConfig, TableVersion}
import hudilite.io.{Storage, StorageFault}
import hudilite.lock.StockWriters
import hudilite.spark.error.{AnalysisErrors, Warnings}
import hudilite.spark.read.{FileColumn, HudiliteScanBuilder, PathColumns}
import hudilite.timeline.{MetadataFolder, Timeline, TimelineFiles}
import hudilite.view.{TableSnapshot, TableStatistics}

/** Hudilite table as Spark's analyzer sees it (driver side), pinned to the snapshot it loads first.
  * Implements neither SupportsRowLevelOperations nor SupportsWrite: Spark must not plan INSERT and
  * MERGE before the rules in `analyze` turn them into a HudiliteWrite. It lacks the capability
  * BATCH_WRITE, so that DataFrameWriter passes `save(path)` with its mode and options to LowerSave.
  * @param name           database and table, for messages and plans
  * @param timeline       files of the table's timeline, at the location of the table
  * @param config         its hoodie.properties, already checked
  * @param userProperties the user's table properties, and what else DESCRIBE shows
  * @param part           partition folders that a path selects, see [[TablePath]]; Nil: all
  * @param asOf           earlier state to read; None: the latest
  * @param columnsOfWrite columns that a write is about to add, or to which it adds fields, before any
  *                       base file contains these; None: no write has compared its rows with the
  *                       table, see [[isOpen]]
  * @param entry          identifier in the session catalog; None when opened by path
  * @param listed         listing of the metadata folder, if the opening made one
  * @param isDescribed    whether the statistics of ANALYZE TABLE are shown, whatever the session sets,
  *                       and the expressions of generated columns */
final class HudiliteTable(
    spark: SparkSession,
    override val name: String,
    val timeline: TimelineFiles,
    val config: TableConfig,
    userProperties: Map[String, String],
    val part: Seq[Seq[String]] = Nil,
    val asOf: Option[AsOf] = None,
    columnsOfWrite: Option[StructType] = None,
    entry: Option[TableIdentifier] = None,
    listed: Option[MetadataFolder] = None,
    val isDescribed: Boolean = false
) extends Table
    with SupportsRead
    with SupportsMetadataColumns
    with StreamedTable {

  /** Location of the table. */
  val basePath: Path = timeline.basePath

  /** Access to the table's files, with the session's Hadoop settings. */
  def storage: Storage = timeline.storage

  /** Log of the table's commits, through which every write goes. Warns of a storage that is written
    * only because the user asked for it.
    * Errors: HUDILITE_TABLE_READ_ONLY. */
  lazy val log: CommitLog = {
    checkWritable()
    storage.warning.foreach(Warnings.say)
    val clock = () => System.currentTimeMillis()
    val stock = StockWriters.of(timeline, name, config, StockLockFact.waiting(spark), clock)
    new CommitLog(timeline, name, config.timelineZone, clock, metadataTable, stock,
      config.isMergeOnRead)
  }

  /** Hudi's metadata table of the table, which every write detaches or keeps up to date. */
  def metadataTable: DetachMetadata =
    DetachMetadata.of(timeline, name, config, DetachedWarning.give(spark, name, _))

  /** Whether hudilite writes the table. */
  def isWritable: Boolean = config.isWritable && FolderTypes.obstacle(config, schema).isEmpty &&
    !snapshot.hasColumnNumbers

  /** Fails for a table that hudilite reads and does not write.
    * Errors: HUDILITE_TABLE_READ_ONLY. */
  def checkWritable(): Unit = {
    config.checkWritable(basePath.toString)
    FolderTypes.check(config, schema, basePath.toString)
    snapshot.checkColumnNumbers()
  }

  private val folder = new AtomicReference(listed) // let go of once it is used

  lazy val snapshot: TableSnapshot = {
    val whole = TableSnapshot.load(timeline, config, asOf, folder.getAndSet(None))
    if (part.isEmpty) whole else whole.of(part)
  }

  /** Columns that a write is about to add, or with fields that it is about to add. */
  val added: StructType = columnsOfWrite.getOrElse(new StructType())

  /** Whether Spark leaves the rows of a write as they are: hudilite has not compared their columns
    * with those of the table yet. */
  def isOpen: Boolean = columnsOfWrite.isEmpty

  override lazy val schema: StructType = SchemaText.widened(known, added)

  /** Paths of the columns and fields that a write is about to add. */
  def addedPaths: Seq[String] = added.toSeq.flatMap { column =>
    known.find(_.name == column.name).fold(Seq(column.name))(own =>
      NewFields.between(column.name, own.dataType, column.dataType).map(_._1)
    )
  }

  private lazy val known: StructType =
    try schemaAt(snapshot)
    catch {
      case e: AvroRuntimeException =>
        throw Timeline.corrupt(timeline.folder, s"the schema is damaged: ${e.getMessage}")
    }

  /** Returns the Avro JSON that a commit on top of `state` stores, [[added]] columns included. */
  def avroSchema(state: TableSnapshot): String =
    SchemaText.widened(
      storedAvro(state.schema.getOrElse(SchemaText.toAvro(known, config.name))),
      added
    )

  /** Returns the Avro JSON of the table's columns after `changes`. */
  def avroSchema(changes: ColumnChanges): String =
    SchemaText.changed(
      avroSchema(snapshot),
      changes.keptOrChanged.filterNot(column =>
        PathColumns.isOfPath(config, column.fold(identity, _.name))
      )
    )

  /** Columns that base files store. */
  def storedSchema: StructType = PathColumns.stored(config, schema)

  /** Returns an Avro schema without the columns that base files do not store, as stock Hudi puts it
    * into commits. */
  private def storedAvro(schema: String): String =
    if (!config.dropsPartitionColumns) schema
    else {
      val names = SchemaText.fromAvro(schema).fieldNames.toSeq
      SchemaText.changed(schema, names.filterNot(PathColumns.isOfPath(config, _)).map(Left(_)))
    }

  /** Returns the table's columns in another state. */
  def schemaAt(state: TableSnapshot): StructType = {
    val avro = state.schema.orElse(config.createSchema)
    val facts = Seq(
      avro,
      config.properties.get(HudiliteTable.schemaProperty),
      HudiliteTable.pathColumns(config)
    )
    KnownColumns.of(basePath, facts)(HudiliteTable.schemaOf(config, avro))
  }

  /** Returns this table with more properties of the rule by which folders are dates.
    * Errors: HUDILITE_PROPERTY_CONFLICT if it has another value, HUDILITE_PROPERTY_UNSUPPORTED if its
    * folders are no dates. */
  private[catalog] def stating(dates: Map[String, String]): HudiliteTable = {
    dates.foreach { case (fact, value) =>
      if (config.dateFields.isEmpty)
        throw PropertyRules.unsupported(fact,
          "The key generator of the table makes no dates. Remove it.")
      val own = TableFacts.value(config, fact)
      if (own.nonEmpty) TableFacts.checkRepeated(config, fact, fact, value)
    }
    val stated = TableConfig(dates ++ config.properties)
    copy(config = stated)
  }

  /** Returns this table for a write whose rows Spark resolves by its columns.
    * @param columns columns that the write adds, or to which it adds fields
    * Errors: HUDILITE_INVALID_NAME, HUDILITE_UNSUPPORTED_TYPE. */
  def adding(columns: StructType): HudiliteTable = {
    if (columns.nonEmpty) ColumnRules.check(SchemaText.widened(schema, columns))
    copy(columnsOfWrite = Some(columns))
  }

  /** Returns this table as queries open it. */
  private[spark] def asRead: HudiliteTable =
    if (isOpen) this else copy(columnsOfWrite = None)

  /** Returns this table in another state.
    * Errors: HUDILITE_VERSION_NOT_FOUND for a text or time that is no version of any table. */
  def at(travel: TimeTravel): HudiliteTable = copy(asOf = Some(travel(name, config)))

  /** Returns a table over this one's files. */
  private def copy(
      config: TableConfig = this.config,
      asOf: Option[AsOf] = this.asOf,
      columnsOfWrite: Option[StructType] = this.columnsOfWrite,
      isDescribed: Boolean = false
  ): HudiliteTable =
    new HudiliteTable(spark, name, timeline, config, userProperties, part, asOf, columnsOfWrite,
      entry, None, isDescribed)

  override def id: String = config.uuid

  /** The user's own properties, the table facts under Hudi's names, and Spark's reserved ones. */
  override def properties: util.Map[String, String] =
    (userProperties ++ TableFacts.properties(config)).asJava

  /** The user's own properties, without table facts and Spark's reserved ones. */
  private[catalog] def ownProperties: Map[String, String] =
    userProperties.filterNot { case (name, _) =>
      TableFacts.reserved(name) || PropertyRules.factOf(name).nonEmpty
    }

  /** Whether the table was opened by its name in the session catalog. */
  private[spark] def isInCatalog: Boolean = entry.nonEmpty

  /** Whether the LOCATION of a statement is that of the table. */
  private[catalog] def isAt(location: String): Boolean = {
    val (conf, hadoop) = (spark.sessionState.conf, spark.sessionState.newHadoopConf())
    val path = CatalogUtils.makeQualifiedDBObjectPath(conf.warehousePath, location, hadoop)
    Storage.qualified(new Path(path), hadoop) == Storage.qualified(basePath, hadoop)
  }

  override def constraints: Array[Constraint] = {
    val key = ColumnReference.of(schema, config.recordKeyFields).map(Expressions.column).toArray
    val keys =
      if (key.isEmpty) Nil
      else Seq(Constraint.primaryKey("primary_key", key).enforced(true).build())
    val generated = if (isDescribed) GeneratedColumns.shown(schema) else Nil
    (keys ++ CheckConstraints.shown(config) ++ generated).toArray
  }

  /** Version of the snapshot. Spark reloads a table that has a version whenever a DataFrame over it
    * runs again. */
  override def version: String =
    if (asOf.isEmpty) snapshot.number.toString
    else s"${snapshot.number} ${snapshot.instants.mkString(" ").hashCode}"

  override def capabilities: util.Set[TableCapability] =
    if (isOpen) util.EnumSet.of(TableCapability.BATCH_READ, TableCapability.ACCEPT_ANY_SCHEMA)
    else util.EnumSet.of(TableCapability.BATCH_READ)

  override def partitioning: Array[Transform] = {
    val identities =
      ColumnReference.of(schema, config.partitionFields).map(name => Expressions.identity(name))
    val buckets = config.index match {
      case IndexKind.Bucket(n, fields) =>
        Seq(Expressions.bucket(n, ColumnReference.of(schema, fields): _*))
      case IndexKind.Bloom => Nil
    }
    (identities ++ buckets).toArray
  }

  override def metadataColumns: Array[MetadataColumn] =
    (if (config.hasMetaFields) MetaFields.all.map(HudiliteTable.MetaColumn(_)) else Nil)
      .toArray[MetadataColumn] :+ FileColumn.ofTable

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new HudiliteScanBuilder(spark, name, schema, snapshot, options, () => statistics)

  private lazy val storedStatistics = TableStatistics.read(timeline)

  /** Statistics of ANALYZE TABLE, if Spark uses such: as for its own tables, not by default. */
  private def statistics: Option[TableStatistics] = {
    val conf = spark.sessionState.conf
    if (isDescribed || conf.cboEnabled || conf.planStatsEnabled) storedStatistics else None
  }

  /** Returns this table for DESCRIBE EXTENDED. */
  private[spark] def described: HudiliteTable =
    copy(isDescribed = true)

  /** Catalog entry that Spark passes to HudiliteSource for `readStream.table` and `toTable` only:
    * the table's location, and the name under which Spark refreshes its cached data.
    * Errors: HUDILITE_UNSUPPORTED_STATEMENT for an earlier state. */
  override def v1Table: CatalogTable = {
    if (asOf.nonEmpty)
      throw AnalysisErrors.of(
        "HUDILITE_UNSUPPORTED_STATEMENT",
        "statement" -> "A stream of an earlier version",
        "table" -> name,
        "fix" -> "Set the option hoodie.datasource.streaming.startOffset to that instant."
      )
    CatalogTable(
      entry
        .getOrElse(TableIdentifier(basePath.toString, Some(SessionTables.provider)))
        .copy(catalog = SessionParts.ownCatalog(spark.sessionState.conf)),
      CatalogTableType.EXTERNAL,
      CatalogStorageFormat.empty.copy(locationUri = Some(basePath.toUri)),
      schema,
      provider = Some(SessionTables.provider)
    )
  }

  override def toString: String = name

  /** Spark finds cached data by comparing tables, so a table at another commit is unequal. So is a
    * table that accepts any rows, as Spark keeps a plan that is equal to the new one of a rule. */
  override def equals(other: Any): Boolean = other match {
    case table: HudiliteTable =>
      table.id == id && table.basePath == basePath && table.version == version &&
      table.part == part && table.isDescribed == isDescribed && table.isOpen == isOpen
    case _ => false
  }

  override def hashCode: Int = id.hashCode
}

object HudiliteTable {

  /** Key of hoodie.properties for the columns with their Spark types, as Avro has fewer types. */
  val schemaProperty: String = "hudilite.table.schema"

  /** Opens the table at a location.
    * @param name       for messages
    * @param basePath   location of the table
    * @param properties table properties that DESCRIBE shows
    * @param part       partition folders to read, see [[TablePath]]; Nil: all
    * @param travel     earlier state to read; None: the latest
    * @param entry      identifier in the session catalog; None for a table by path
    * Errors: HUDILITE_CORRUPT_TIMELINE when hoodie.properties is missing or broken,
    * HUDILITE_UNSUPPORTED_TABLE. */
  def open(
      spark: SparkSession,
      name: String,
      basePath: Path,
      properties: Map[String, String],
      part: Seq[Seq[String]] = Nil,
      travel: Option[TimeTravel] = None,
      entry: Option[TableIdentifier] = None
  ): HudiliteTable = {
    val opened = StorageFault.explained(TimelineFiles.open(storageAt(spark, basePath), basePath))
    new HudiliteTable(
      spark,
      name,
      opened.files,
      opened.config,
      properties,
      part,
      travel.map(_(name, opened.config)),
      entry = entry,
      listed = opened.folder
    )
  }

  /** Whether a location contains a Hudi table. */
  def isAt(spark: SparkSession, basePath: Path): Boolean =
    TimelineFiles.hasProperties(storageAt(spark, basePath), basePath)

  /** Returns the files of the timeline of a table that may be created at a location, with the
    * session's Hadoop settings. */
  def newTimelineAt(spark: SparkSession, basePath: Path, version: TableVersion): TimelineFiles =
    TimelineFiles.ofNewTable(storageAt(spark, basePath), basePath, version)

  private def storageAt(spark: SparkSession, basePath: Path) = {
    StoreSettings.warn(spark, basePath)
    Storage.of(basePath, spark.sessionState.newHadoopConf())
  }

  /** Returns the facts with the Spark types of other columns. Columns declared before are kept
    * after them, because earlier states still have them. The commit of a state lists which columns
    * that state has. */
  def withColumns(config: TableConfig, schema: StructType): TableConfig = {
    val others = declared(config).filterNot(field => schema.fieldNames.contains(field.name))
    TableConfig(config.properties + (schemaProperty -> StructType(schema ++ others).json))
  }

  /** Writes the Spark types of all columns, those about to be added included, to
    * hoodie.properties. */
  def declare(table: HudiliteTable): Unit =
    rewrite(table, withColumns(table.timeline.config(), table.schema))

  private def declared(config: TableConfig): Seq[StructField] =
    config.properties.get(schemaProperty).map(DataType.fromJson).toSeq.collect {
      case columns: StructType => columns
    }.flatten

  /** Replaces the table's hoodie.properties.
    * Errors: HUDILITE_TABLE_READ_ONLY. */
  def rewrite(table: HudiliteTable, config: TableConfig): Unit = {
    table.checkWritable()
    StockLockFact.guarded(table) {
      table.storage.replace(table.timeline.properties, TableConfig.render(config))
    }
  }

  /** Returns the columns of an Avro schema with their declared Spark types. A declared type is
    * ignored where its Avro type is another, because the Avro schema of a commit is authoritative:
    * another writer may have added or changed columns.
    * @param avro schema of a commit, or that at creation before the first commit */
  private def schemaOf(config: TableConfig, avro: Option[String]): StructType = {
    val columns = declared(config)
    avro.map(SchemaText.fromAvro).map(withPathColumns(config, _)).fold(StructType(columns)) {
      latest =>
        asDeclared(columns, latest)
    }
  }

  private def asDeclared(declared: Seq[StructField], latest: StructType): StructType =
    StructType(latest.map { field =>
      declared.find(_.name == field.name).fold(field) { column =>
        val dataType = asDeclared(column.dataType, field.dataType)
        if (dataType == column.dataType) column
        else if (isOfOneColumn(column.dataType, field.dataType))
          column.copy(dataType = dataType, nullable = field.nullable)
        else field.copy(dataType = dataType)
      }
    })

  /** Whether a column may have had both types, so that its default, comment and expression stay: its type
    * was widened after a state or is about to be, or the fields inside it are others. */
  private def isOfOneColumn(declared: DataType, latest: DataType): Boolean =
    ColumnChanges.widens(declared, latest) || ColumnChanges.widens(latest, declared) ||
      ((declared, latest) match {
        case (_: StructType, _: StructType) | (_: ArrayType, _: ArrayType) |
            (_: MapType, _: MapType) =>
          true
        case _ => false
      })

  /** Returns a type with the declared types of those parts that are as they were declared. */
  private def asDeclared(declared: DataType, latest: DataType): DataType =
    (declared, latest) match {
      case _ if sameInAvro(declared, latest) => declared
      case (of: StructType, fields: StructType) => asDeclared(of.fields.toSeq, fields)
      case (of: ArrayType, list: ArrayType) =>
        list.copy(elementType = asDeclared(of.elementType, list.elementType))
      case (of: MapType, map: MapType) =>
        map.copy(valueType = asDeclared(of.valueType, map.valueType))
      case _ => latest
    }

  /** Adds the partition columns that base files do not store and the schema of a commit may lack: as
    * text, as stock Hudi reads them. */
  private def withPathColumns(config: TableConfig, columns: StructType): StructType =
    StructType(columns ++ pathColumns(config).filterNot(columns.fieldNames.contains).map(
      StructField(_, StringType)
    ))

  /** Names of the partition columns that base files do not store. */
  private def pathColumns(config: TableConfig): Seq[String] =
    if (config.dropsPartitionColumns) config.partitionFields else Nil

  private def sameInAvro(declared: DataType, latest: DataType): Boolean = {
    def text(dataType: DataType) =
      SchemaText.toAvro(new StructType().add("column", dataType), "table")
    text(declared) == text(latest)
  }

  final private case class MetaColumn(override val name: String) extends MetadataColumn {
    override def dataType: DataType = StringType
    override def comment: String = "meta column of Hudi"
  }
}
