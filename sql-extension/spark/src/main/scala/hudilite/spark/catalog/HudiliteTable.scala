package hudilite.spark.catalog

import java.util

import scala.jdk.CollectionConverters._

import org.apache.avro.AvroRuntimeException
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{
  CatalogStorageFormat,
  CatalogTable,
  CatalogTableType
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
import org.apache.spark.sql.types.{DataType, StringType, StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.format.{IndexKind, MetaFields, TableConfig}
import hudilite.io.Storage
import hudilite.spark.AnalysisErrors
import hudilite.spark.read.HudiliteScanBuilder
import hudilite.timeline.{AsOf, CommitLog, Timeline}
import hudilite.view.TableSnapshot

/** One hudilite table as Spark's analyzer sees it, pinned to the snapshot it first looks at.
  *
  * Not a SupportsRowLevelOperations and no SupportsWrite: Spark must leave INSERT and MERGE alone
  * until the rules in `analyze` turn them into a HudiliteWrite. BATCH_WRITE alone makes
  * DataFrameWriter build the nodes that these rules know.
  * @param name       database and table, for messages and plans
  * @param basePath   location of the table
  * @param config     its hoodie.properties, checked
  * @param properties the user's table properties and what DESCRIBE shows besides
  * @param part       what a path names of it, see [[TablePath]]; empty for the whole table
  * @param asOf       the earlier state that is read, if one is asked for
  * @param added      columns that a write is about to add: no file has them yet
  * @param entry      its name in the session catalog, if it was found by one */
final class HudiliteTable(
    spark: SparkSession,
    override val name: String,
    val basePath: Path,
    val config: TableConfig,
    userProperties: Map[String, String],
    val part: Seq[Seq[String]] = Nil,
    val asOf: Option[AsOf] = None,
    val added: StructType = new StructType(),
    entry: Option[TableIdentifier] = None
) extends Table
    with SupportsRead
    with SupportsMetadataColumns
    with StreamedTable {

  /** Files and their folders, through the session's Hadoop settings. */
  lazy val storage: Storage = Storage.of(basePath, spark.sessionState.newHadoopConf())

  /** Its writes. */
  def log: CommitLog = new CommitLog(
    storage,
    basePath,
    name,
    config.timelineZone,
    () => System.currentTimeMillis()
  )

  lazy val snapshot: TableSnapshot = {
    val whole = TableSnapshot.load(storage, basePath, config, asOf)
    if (part.isEmpty) whole else whole.of(part)
  }

  override lazy val schema: StructType = StructType(known ++ added)

  private lazy val known: StructType =
    try schemaAt(snapshot)
    catch {
      case e: AvroRuntimeException =>
        throw Timeline.corrupt(Timeline.folder(basePath), s"the schema is damaged: ${e.getMessage}")
    }

  /** The columns of a state as a commit on it tells them: Avro JSON, [[added]] ones included. */
  def avroSchema(state: TableSnapshot): String =
    SchemaText.appended(
      state.schema.getOrElse(SchemaText.toAvro(known, config.name)),
      added
    )

  /** The same after a change of the columns. */
  def avroSchema(changes: ColumnChanges): String =
    SchemaText.changed(avroSchema(snapshot), changes.told)

  /** Its columns in another state of it. */
  def schemaAt(state: TableSnapshot): StructType =
    HudiliteTable.schemaOf(config, state.schema.orElse(config.createSchema))

  /** The same table for a write that adds columns.
    * Errors: HUDILITE_INVALID_NAME, HUDILITE_UNSUPPORTED_TYPE. */
  def adding(columns: StructType): HudiliteTable = {
    ColumnRules.check(StructType(schema ++ columns))
    new HudiliteTable(spark, name, basePath, config, userProperties, part, asOf, columns, entry)
  }

  override def id: String = config.uuid

  /** The user's own, the facts under Hudi's names, and what Spark reserves. */
  override def properties: util.Map[String, String] =
    (userProperties ++ TableFacts.properties(config)).asJava

  /** The user's own table properties. */
  private[catalog] def ownProperties: Map[String, String] =
    userProperties.filterNot { case (name, _) =>
      TableFacts.reserved(name) || PropertyRules.factOf(name).nonEmpty
    }

  override def constraints: Array[Constraint] = Array(
    Constraint
      .primaryKey("primary_key",
        config.recordKeyFields.map(f => Expressions.column(quoted(f))).toArray)
      .enforced(true)
      .build()
  )

  /** With a version Spark loads the table anew for each query of a kept DataFrame. */
  override def version: String =
    if (asOf.isEmpty) snapshot.number.toString
    else s"${snapshot.number} ${snapshot.instants.mkString(" ").hashCode}"

  override def capabilities: util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ, TableCapability.BATCH_WRITE)

  override def partitioning: Array[Transform] = {
    val identities = config.partitionFields.map(field => Expressions.identity(quoted(field)))
    val buckets = config.index match {
      case IndexKind.Bucket(n, fields) => Seq(Expressions.bucket(n, fields.map(quoted): _*))
      case IndexKind.Bloom => Nil
    }
    (identities ++ buckets).toArray
  }

  override def metadataColumns: Array[MetadataColumn] =
    MetaFields.all.map(HudiliteTable.MetaColumn(_): MetadataColumn).toArray

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new HudiliteScanBuilder(spark, name, schema, snapshot, options)

  /** What Spark hands to HudiliteSource for `readStream.table` and `toTable`, and for these alone:
    * where the table lies, and a name under which Spark refreshes what is cached of it.
    * Errors: HUDILITE_UNSUPPORTED_STATEMENT for an earlier state. */
  override def v1Table: CatalogTable = {
    if (asOf.nonEmpty)
      throw AnalysisErrors.of(
        "HUDILITE_UNSUPPORTED_STATEMENT",
        "statement" -> "A stream of an earlier version",
        "table" -> name,
        "fix" -> "Say where it begins by hoodie.datasource.streaming.startOffset."
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

  /** Spark compares tables to find what it has cached: another commit is another table. */
  override def equals(other: Any): Boolean = other match {
    case table: HudiliteTable =>
      table.id == id && table.basePath == basePath && table.version == version &&
      table.part == part
    case _ => false
  }

  override def hashCode: Int = id.hashCode

  /** Expressions parses names. */
  private def quoted(column: String): String = s"`${column.replace("`", "``")}`"
}

object HudiliteTable {

  /** Spark's own types of the columns; Avro has fewer. */
  val schemaProperty: String = "hudilite.table.schema"

  /** Opens the table at a location.
    * @param name       for messages
    * @param basePath   location
    * @param properties what DESCRIBE shows
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
    val storage = Storage.of(basePath, spark.sessionState.newHadoopConf())
    val config = factsOf(storage, basePath)
    new HudiliteTable(
      spark,
      name,
      basePath,
      config,
      properties,
      part,
      travel.map(_(name, config)),
      entry = entry
    )
  }

  private def factsOf(storage: Storage, basePath: Path): TableConfig =
    TableConfig.parse(storage.read(propertiesFile(basePath)), basePath.toString)

  /** Where a table keeps its facts. */
  def propertiesFile(basePath: Path): Path =
    new Path(new Path(basePath, ".hoodie"), TableConfig.fileName)

  /** The same facts with other columns, as Spark declares them. Those that were declared before are
    * kept behind them: earlier states have them, and which a state has is told by its commit. */
  def withColumns(config: TableConfig, schema: StructType): TableConfig = {
    val others = declared(config).filterNot(field => schema.fieldNames.contains(field.name))
    TableConfig(config.properties + (schemaProperty -> StructType(schema ++ others).json))
  }

  /** Tells Spark's own types of the columns that a table is about to get. */
  def declare(table: HudiliteTable): Unit =
    rewrite(table, withColumns(factsOf(table.storage, table.basePath), table.schema))

  private def declared(config: TableConfig): Seq[StructField] =
    config.properties.get(schemaProperty).map(DataType.fromJson).toSeq.collect {
      case columns: StructType => columns
    }.flatten

  /** Writes a table's facts anew. */
  def rewrite(table: HudiliteTable, config: TableConfig): Unit =
    table.storage.replace(propertiesFile(table.basePath), TableConfig.render(config))

  /** The latest commit's schema wins over the one of creation: another writer may have added
    * columns. Columns of both keep the Spark type they were declared with. */
  private def schemaOf(config: TableConfig, avro: Option[String]): StructType = {
    val columns = declared(config)
    avro.map(SchemaText.fromAvro).fold(StructType(columns)) { latest =>
      StructType(latest.map { field =>
        columns
          .find(column => column.name == field.name && sameInAvro(column.dataType, field.dataType))
          .getOrElse(field)
      })
    }
  }

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
