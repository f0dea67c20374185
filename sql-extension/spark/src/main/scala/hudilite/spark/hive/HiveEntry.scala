package hudilite.spark.hive

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.metastore.api.{
  FieldSchema,
  Partition,
  SerDeInfo,
  StorageDescriptor,
  Table
}
import org.apache.spark.sql.classic.SparkSession

import hudilite.io.Storage
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.AutomaticSync

/** External table of the Hive metastore over the folder of a Hudi table. Its input and output
  * format are those by which Hudi's Hive readers select the files of the latest commit. They are
  * class names only; no session loads the classes.
  * @param view         what readers see under the entry
  * @param location     location of the table
  * @param parameters   table parameters of the entry
  * @param ofSpark      whether Spark reads the entry as a table of Hudi's data source
  * @param owner        owner of the entry
  * @param sparkVersion version of the Spark session that creates the entry
  * Source: hudi-format §9.4; Hudi's HMSDDLExecutor and SparkDataSourceTableUtils. */
private[hive] final case class HiveEntry(
    target: HiveTarget,
    view: HiveView,
    location: Path,
    columns: HiveColumns,
    parameters: Map[String, String],
    ofSpark: Boolean,
    owner: String,
    sparkVersion: String
) {
  private val serdeParameters: Map[String, String] =
    Map("serialization.format" -> "1", "path" -> location.toString) ++
      Option.when(ofSpark)("hoodie.query.as.ro.table" -> view.isReadOptimized.toString)

  /** Builds the complete entry, for a metastore that does not have it yet. */
  def table: Table = {
    val made = new Table()
    made.setDbName(target.database)
    made.setTableName(target.name)
    made.setOwner(owner)
    made.setTableType(HiveEntry.external)
    made.setPartitionKeys(schemas(columns.keys))
    made.setSd(storage(location))
    val version = Option.when(ofSpark)("spark.sql.create.version" -> sparkVersion)
    made.setParameters(mutable(parameters ++ version))
    made
  }

  /** Builds a partition of the entry.
    * @param values texts of the partition columns
    * @param folder folder of the partition's files */
  def partition(values: Seq[String], folder: Path): Partition = {
    val made = new Partition()
    made.setDbName(target.database)
    made.setTableName(target.name)
    made.setValues(values.asJava)
    made.setSd(storage(folder))
    made.setParameters(mutable(Map.empty))
    made
  }

  /** Compares this entry with the one that the metastore has. */
  def against(found: Table): HiveEntry.Difference = {
    val there = HiveEntry.columnsOf(found.getSd.getCols)
    val apart = (columns.data.diff(there) ++ there.diff(columns.data)).map(_.name).distinct
    val others = Option(found.getParameters).fold(Map.empty[String, String])(_.asScala.toMap)
    val stale = others.keySet.filter(_.startsWith("spark.sql.sources.")) ++
      Set(HiveEntry.syncedCommit).filter(others.contains) -- parameters.keySet
    val changed = parameters.filterNot { case (name, value) => others.get(name).contains(value) }
    val kept = others -- stale -- Set(HiveEntry.changeTime)
    HiveEntry.Difference(
      if (there == columns.data) 0 else math.max(apart.size, 1),
      changed.size + stale.size + storageFaults(found.getSd),
      kept ++ parameters
    )
  }

  /** Updates the metastore's entry to match this one.
    * @param found is modified and returned */
  def applied(found: Table, difference: HiveEntry.Difference): Table = {
    found.setSd(storage(location))
    found.setTableType(HiveEntry.external)
    found.setParameters(mutable(difference.parameters))
    found
  }

  private def storageFaults(found: StorageDescriptor): Int = {
    val serde = found.getSerdeInfo
    val there = Option(serde.getParameters).fold(Map.empty[String, String])(_.asScala.toMap)
    Seq(
      found.getInputFormat == view.inputFormat,
      found.getOutputFormat == HiveEntry.outputFormat,
      serde.getSerializationLib == HiveEntry.serde,
      serdeParameters.forall { case (name, value) => there.get(name).contains(value) }
    ).count(isSame => !isSame)
  }

  private def storage(folder: Path): StorageDescriptor = {
    val serde = new SerDeInfo()
    serde.setSerializationLib(HiveEntry.serde)
    serde.setParameters(mutable(serdeParameters))
    val made = new StorageDescriptor()
    made.setCols(schemas(columns.data))
    made.setLocation(folder.toString)
    made.setInputFormat(view.inputFormat)
    made.setOutputFormat(HiveEntry.outputFormat)
    made.setSerdeInfo(serde)
    made
  }

  private def schemas(columns: Seq[HiveColumns.Column]) =
    columns.map(c => new FieldSchema(c.name, c.dataType, c.comment)).asJava

  /** Returns a mutable copy, because the metastore client adds to the map that it receives. */
  private def mutable(parameters: Map[String, String]) =
    new java.util.HashMap[String, String](parameters.asJava)
}

private[hive] object HiveEntry {
  private val outputFormat = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat"
  private val serde = "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"
  private val external = "EXTERNAL_TABLE"
  private val syncedCommit = "last_commit_time_sync"
  private val changeTime = "transient_lastDdlTime"

  /** Difference between an entry as it should be and the metastore's entry.
    * @param columns    number of columns that are added, removed or changed
    * @param properties number of table and storage properties that are added, removed or changed
    * @param parameters all table parameters of the entry after the update */
  final case class Difference(columns: Int, properties: Int, parameters: Map[String, String]) {
    def isEmpty: Boolean = columns + properties == 0
  }

  /** Returns the entry that a table should have. Stock Hudi does not register the snapshots of a
    * bootstrapped table as those of its data source. */
  def of(
      session: SparkSession,
      table: HudiliteTable,
      target: HiveTarget,
      view: HiveView
  ): HiveEntry = {
    val columns = HiveColumns.of(table)
    val ofSpark = AutomaticSync.isDataSource(table.config.properties) &&
      !(view == HiveView.Snapshot && table.config.isBootstrapped)
    val parameters = Map("EXTERNAL" -> "TRUE") ++
      table.snapshot.lastInstant.map(syncedCommit -> _) ++
      (if (ofSpark) SparkProperties.of(columns) else Map.empty)
    HiveEntry(
      target,
      view,
      table.basePath,
      columns,
      parameters,
      ofSpark,
      session.sparkContext.sparkUser,
      session.version
    )
  }

  def columnsOf(found: java.util.List[FieldSchema]): Seq[HiveColumns.Column] =
    found.asScala.toSeq.map { schema =>
      HiveColumns.Column(
        schema.getName.toLowerCase(java.util.Locale.ROOT),
        schema.getType,
        Option(schema.getComment).getOrElse("")
      )
    }

  /** Whether an entry registers the Hudi table at a location. */
  def isOf(found: Table, table: HudiliteTable, conf: Configuration): Boolean =
    HiveView.inputFormats(found.getSd.getInputFormat) &&
      Option(found.getSd.getLocation).exists { location =>
        Storage.qualified(new Path(location), conf) == Storage.qualified(table.basePath, conf)
      }
}
