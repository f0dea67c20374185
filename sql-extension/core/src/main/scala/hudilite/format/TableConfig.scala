package hudilite.format

import java.time.{ZoneId, ZoneOffset}

import hudilite.error.HudiliteException

/** Properties of a table: the content of its hoodie.properties, with Hudi's own keys. Created
  * by [[TableConfig.parse]] or [[TableConfig.forCreate]], so the accessors do not check values
  * again.
  * Source: hudi-format §2. */
final case class TableConfig(properties: Map[String, String]) {
  import TableConfig._

  def name: String = properties(Key.name)

  /** Returns the version of Hudi's table format. */
  def version: TableVersion = text(Key.version).flatMap(TableVersion.of).getOrElse(TableVersion.Six)

  /** Returns the partitions of Hudi's metadata table, Nil if the table has none. Reading a table
    * never needs it. */
  def metadataPartitions: Seq[String] = list(Key.metadataPartitions)

  /** Returns the place of the file that defines the indexes of the metadata table, relative to the
    * table. */
  def indexDefinitions: Option[String] = text(Key.indexDefinitions)

  /** Returns the partitions of Hudi's metadata table that are being built. */
  def metadataInflight: Seq[String] = list(Key.metadataInflight)

  /** Whether the properties name partitions of a metadata table. */
  def hasMetadataTable: Boolean = metadataPartitions.nonEmpty || metadataInflight.nonEmpty

  /** Returns the CHECK constraints that every written row must fulfil: name and condition, by name. */
  def checks: Seq[(String, String)] = properties.toSeq.collect {
    case (key, condition) if key.startsWith(Key.check) => key.stripPrefix(Key.check) -> condition
  }.sorted

  /** Returns the properties with other CHECK constraints. */
  def withChecks(named: Seq[(String, String)]): TableConfig = TableConfig(
    properties.filterNot(_._1.startsWith(Key.check)) ++
      named.map { case (name, condition) => (Key.check + name, condition) }
  )

  /** Whether stock Hudi may write the table at the same time, under its lock in the storage. */
  def hasStockLock: Boolean = text(Key.stockLock).nonEmpty

  /** Whether a write keeps the list of files in the metadata table up to date instead of removing the
    * metadata table. A table of version 6 never does. */
  def keepsFiles: Boolean = version != TableVersion.Six && asksForFiles

  /** Whether a property says so, in a table of any version. */
  def asksForFiles: Boolean = text(Key.metadata).exists(_.equalsIgnoreCase(Key.keepFiles))

  /** Whether readers use the list of files in the metadata table, and nothing else of it. */
  def hasFilesOnly: Boolean =
    metadataPartitions == Seq(filesPartition) && metadataInflight.isEmpty

  /** Returns `kept` or `detached`, the state of a metadata table that is to be kept; None if it is
    * not. */
  def upkeep: Option[String] =
    Option.when(keepsFiles)(if (hasFilesOnly) "kept" else "detached")

  /** Whether hudilite writes the table. */
  def isWritable: Boolean = WriteChecks.obstacle(this).isEmpty

  /** Fails if hudilite does not write the table.
    * @param basePath location of the table, for the message
    * Errors: HUDILITE_TABLE_READ_ONLY. */
  def checkWritable(basePath: String): Unit = WriteChecks.check(this, basePath)

  /** Returns the commit number with which hudilite last moved the timeline into another layout, 0 if it
    * never did. Stock Hudi may have moved it since. */
  private[hudilite] def versionNumber: Long =
    text(Key.versionNumber).flatMap(_.toLongOption).getOrElse(0L)

  /** Returns the commit number with which hudilite last changed the type of the table, 0 if it never
    * did. */
  private[hudilite] def typeNumber: Long =
    text(Key.typeNumber).flatMap(_.toLongOption).getOrElse(0L)

  /** Returns the last commit of the table under its other type; None if hudilite never changed the type,
    * or the table had no commit then. */
  private[hudilite] def typeSince: Option[String] = text(Key.typeSince)

  def database: Option[String] = text(Key.database)

  /** Returns the uuid of the table. A table that stock Hudi created has none: its uuid is computed
    * from properties that never change, so that every writer gets the same one. */
  def uuid: String = text(Key.uuid).getOrElse(
    FileId.named(foreignFacts.map(properties.getOrElse(_, "")): _*)
  )

  /** Returns the key columns in key order; none for a table without a key. */
  def recordKeyFields: Seq[String] = list(Key.recordKeyFields)

  /** Whether the table has no key columns: its writers give each new row a record key of its own. */
  def isKeyless: Boolean = recordKeyFields.isEmpty

  /** Whether the key consists of columns of the table. If not, because it has none or they are fields
    * of structs, rows are found by their stored record keys. */
  def hasKeyColumns: Boolean = !isKeyless && recordKeyFields.forall(AvroNames.isValid)

  /** Returns the partition columns in path order, without the types of a custom key generator. */
  def partitionFields: Seq[String] = typedPartitionFields.map(_.column)

  private def typedPartitionFields: Seq[PartitionField] =
    list(Key.partitionFields).map(PartitionField.parse)

  /** Whether the properties state types of partition columns, as under a custom key generator. */
  private[format] def hasTypedPartitions: Boolean = typedPartitionFields.exists(_.`type`.nonEmpty)

  /** Whether the folders of a partition column have the text of its value. Some key generators write
    * other texts. */
  def holdsValue(partitionField: String): Boolean = KeyGenerator.of(properties) match {
    case _ if flag(Key.slashSeparatedDates, default = false) => false
    case Some(KeyGenerator.Simple | KeyGenerator.Complex | KeyGenerator.NonPartitioned) => true
    case Some(KeyGenerator.Custom) =>
      typedPartitionFields.contains(PartitionField(partitionField, Some(PartitionField.simple)))
    case Some(KeyGenerator.Timestamp) | None => false
  }

  /** Returns the partition columns whose folders are dates, by a timestamp-based key generator or by a
    * type of a custom one. */
  lazy val dateFields: Seq[String] = KeyGenerator.of(properties) match {
    case Some(KeyGenerator.Timestamp) => partitionFields
    case Some(KeyGenerator.Custom) =>
      typedPartitionFields.filter(_.`type`.contains(PartitionField.timestamp)).map(_.column)
    case _ => Nil
  }

  /** Returns the rule by which a partition column's folder is a date; None if it is not, or if the
    * properties do not give the rule. */
  def dateFolder(partitionField: String): Option[DateFolder] =
    if (dateFields.contains(partitionField)) rule else None

  private lazy val rule: Option[DateFolder] = DateFolderFacts.of(this).toOption

  /** Whether the properties give the rule by which the folder of a partition column follows from its
    * value. */
  def hasFolderRule(partitionField: String): Boolean =
    holdsValue(partitionField) || dateFolder(partitionField).nonEmpty

  /** Returns the columns whose greatest values win among rows with the same key: of two rows with
    * equal values of the first, the second decides. None are returned if the row that is written
    * last wins. */
  def orderingFields: Seq[String] =
    if (MergeOrder.of(this) == MergeOrder.CommitTime) Nil else namedOrderingFields

  /** Returns the columns that the properties name as ordering fields, whether or not they decide
    * which row stays. */
  def namedOrderingFields: Seq[String] =
    if (text(Key.orderingFields).isDefined) list(Key.orderingFields) else list(Key.preCombineField)

  /** Columns that the properties name: of the record key, partition columns and ordering fields. */
  def namedColumns: Seq[String] = recordKeyFields ++ partitionFields ++ namedOrderingFields

  /** Whether base files store Hudi's meta columns. Without them a row does not tell its key, and not
    * which commit changed it. */
  def hasMetaFields: Boolean = flag(Key.metaFields, default = true)

  /** Whether the metafile of a partition is a file of the base files' format. */
  def hasParquetMetafiles: Boolean = flag(Key.baseFormatMetafiles, default = false)

  /** Whether base files lack the partition columns, whose values are only in the partition path. */
  def dropsPartitionColumns: Boolean = flag(Key.dropPartitionColumns, default = false)

  /** Whether a partition folder is named `field=value`. */
  def hiveStyle: Boolean = flag(Key.hiveStyle, default = false)

  /** Whether special characters of a partition value are written as %XX. */
  def urlEncode: Boolean = flag(Key.urlEncode, default = false)

  /** Returns the schema at creation as Avro JSON, without meta columns. It is the only schema until
    * the first commit. */
  def createSchema: Option[String] = text(Key.createSchema)

  /** Returns the index of the table. A table that stock Hudi created does not declare it, see
    * [[isIndexDeclared]]. */
  def index: IndexKind =
    if (text(Key.index).contains(Key.indexBucket))
      IndexKind.Bucket(properties(Key.bucketCount).toInt, list(Key.bucketFields))
    else IndexKind.Bloom

  def hasBuckets: Boolean = index != IndexKind.Bloom

  /** Returns the key columns that the bucket index hashes, in key order; none without buckets. */
  def hashFields: Seq[String] = index match {
    case IndexKind.Bucket(_, fields) => fields
    case IndexKind.Bloom => Nil
  }

  /** Returns the rule by which new base files get bloom filters. */
  def filterRule: FilterRule = FilterRule.of(this)

  /** Returns the columns for which new base files have bloom filters of Parquet's, as the user spelled
    * them. */
  def bloomColumns: Seq[String] = list(Key.bloomColumns)

  /** Whether the properties declare the index. If not, [[index]] is Bloom, and file ids that start
    * with eight digits mean that its writers used buckets. */
  def isIndexDeclared: Boolean = text(Key.index).isDefined

  /** Whether a key is unique over the whole table rather than within its partition. */
  def isGlobalIndex: Boolean = flag(Key.indexGlobal, default = false)

  /** Returns the properties of a table whose keys are unique over the whole table. */
  def withGlobalIndex: TableConfig = copy(properties + (Key.indexGlobal -> "true"))

  /** Whether a key must be looked up in every partition: keys are unique over the whole table, and
    * at least one partition column is not part of the key. */
  def seeksEverywhere: Boolean =
    isGlobalIndex && !isKeyless && !partitionFields.forall(recordKeyFields.contains)

  /** Whether the text of a record key is `f:v,f2:v2` rather than the bare value. */
  def complexKey: Boolean = !isKeyless && (text(Key.keyEncoding) match {
    case Some(encoding) => encoding == Key.complexEncoding
    case None =>
      recordKeyFields.size > 1 || KeyGenerator.of(properties).contains(KeyGenerator.Complex)
  })

  /** Whether [[complexKey]] is only the default of Hudi 1.2: releases differ in the text of a
    * single key column under the complex generator, and the properties do not state it. Read a
    * stored key, then call [[withKeyEncoding]]. Under an unknown generator it is never certain. */
  def isKeyEncodingUncertain: Boolean =
    text(Key.keyEncoding).isEmpty && recordKeyFields.size == 1 && (complexKey || !isGeneratorKnown)

  /** Whether the rules are known by which the key generator of the table writes record keys. */
  def isGeneratorKnown: Boolean = KeyGenerator.of(properties).isDefined

  /** Returns the properties with a definite text form of record keys. */
  def withKeyEncoding(complex: Boolean): TableConfig = {
    val encoding = if (complex) Key.complexEncoding else Key.plainEncoding
    copy(properties + (Key.keyEncoding -> encoding))
  }

  /** Fails if the rows of the table do not tell which commit changed them.
    * @param basePath location of the table, for the message
    * Errors: HUDILITE_UNSUPPORTED_TABLE. */
  def checkTellsChanges(basePath: String): Unit =
    if (!hasMetaFields)
      throw HudiliteException(
        "HUDILITE_UNSUPPORTED_TABLE",
        "path" -> basePath,
        "fact" -> Key.metaFields,
        "value" -> "false",
        "fix" -> ("Its rows do not say which commit changed them. CALL diff compares two versions of the " +
          "table.")
      )

  /** Returns the time zone of the timeline's instants. By default, stock Hudi uses the zone of the
    * writer's machine.
    * Source: hudi-format §3.1. */
  def timelineZone: ZoneId =
    if (text(Key.timezone).exists(_.equalsIgnoreCase("UTC"))) ZoneOffset.UTC
    else ZoneId.systemDefault

  /** Whether stock Hudi writes the changes of each commit beside its rows. */
  def keepsChanges: Boolean = text(Key.cdc).exists(_.equalsIgnoreCase("true"))

  /** Whether writes may put changes of rows into log files, and the latest rows may lie there. */
  def isMergeOnRead: Boolean = text(Key.tableType).exists(_.equalsIgnoreCase(Key.mergeOnRead))

  /** Whether the table may have log files: also a copy-on-write table that was merge-on-read before, of
    * which only earlier states read them. */
  def mayHaveLogs: Boolean = isMergeOnRead || typeSince.nonEmpty

  /** Whether a bootstrap may have left data in its source files, outside the table. */
  def isBootstrapped: Boolean = text(Key.bootstrapBase).isDefined

  /** Returns the path of the files from which `CALL bootstrap` made the table. */
  def bootstrapSource: Option[String] = text(Key.bootstrapSource)

  /** Returns the properties of a table that a bootstrap creates.
    * @param source path of the source files
    * @param adopts whether data stays in the source files */
  def bootstrapped(source: String, adopts: Boolean): TableConfig = copy(
    properties + (Key.bootstrapSource -> source) ++
      (if (adopts) Map(Key.bootstrapBase -> source, Key.bootstrapClass -> bootstrapIndex)
       else Map.empty) ++
      Option.when(adopts && version != TableVersion.Six)(Key.bootstrapType -> "HFILE")
  )

  /** Returns the properties without those that declare data outside the table. */
  def withoutBootstrap: TableConfig =
    copy(properties - Key.bootstrapBase - Key.bootstrapClass - Key.bootstrapType)

  private[format] def text(key: String): Option[String] =
    properties.get(key).map(_.trim).filter(_.nonEmpty)

  private def list(key: String): Seq[String] = splitFields(properties.getOrElse(key, ""))

  private def flag(key: String, default: Boolean): Boolean =
    text(key).fold(default)(_.equalsIgnoreCase("true"))
}

object TableConfig {

  /** Partition of the metadata table with the list of files. */
  val filesPartition = "files"

  /** Keys of the file, and values of `hudilite.*` keys. */
  object Key {
    val name = "hoodie.table.name"
    val database = "hoodie.database.name"
    val tableType = "hoodie.table.type"
    val copyOnWrite = "COPY_ON_WRITE"
    val mergeOnRead = "MERGE_ON_READ"
    val version = "hoodie.table.version"
    val layout = "hoodie.timeline.layout.version"
    val checksum = "hoodie.table.checksum"
    val recordKeyFields = "hoodie.table.recordkey.fields"
    val partitionFields = "hoodie.table.partition.fields"
    val preCombineField = "hoodie.table.precombine.field"
    val orderingFields = "hoodie.table.ordering.fields"
    val metaFields = "hoodie.populate.meta.fields"
    val dropPartitionColumns = "hoodie.datasource.write.drop.partition.columns"
    val baseFormatMetafiles = "hoodie.partition.metafile.use.base.format"
    val slashSeparatedDates = "hoodie.datasource.write.slash.separated.date.partitioning"
    val payloadClass = "hoodie.compaction.payload.class"
    val mergeStrategy = "hoodie.record.merge.strategy.id"
    val keyGeneratorType = "hoodie.table.keygenerator.type"
    val keyGeneratorClass = "hoodie.table.keygenerator.class"
    val createSchema = "hoodie.table.create.schema"
    val hiveStyle = "hoodie.datasource.write.hive_style_partitioning"
    val urlEncode = "hoodie.datasource.write.partitionpath.urlencode"
    val bootstrapBase = "hoodie.bootstrap.base.path"
    val bootstrapType = "hoodie.bootstrap.index.type"
    val bootstrapClass = "hoodie.bootstrap.index.class"
    val bootstrapSource = "hudilite.bootstrap.source"
    val timezone = "hoodie.table.timeline.timezone"
    val timelinePath = "hoodie.timeline.path"
    val archiveFolder = "hoodie.archivelog.folder"
    val historyPath = "hoodie.timeline.history.path"
    val initialVersion = "hoodie.table.initial.version"
    val metadataPartitions = "hoodie.table.metadata.partitions"
    val indexDefinitions = "hoodie.table.index.defs.path"
    val cdc = "hoodie.table.cdc.enabled"
    val mergeMode = "hoodie.record.merge.mode"
    val partialUpdateMode = "hoodie.table.partial.update.mode"
    val mergeProperties = "hoodie.record.merge.property."
    val metadataInflight = "hoodie.table.metadata.partitions.inflight"
    val ours = "hudilite."
    val metadata = "hudilite.metadata"
    val detachMetadata = "detach"
    val keepFiles = "keep-files"
    val uuid = "hudilite.table.uuid"
    val versionNumber = "hudilite.version.number"
    val typeNumber = "hudilite.type.number"
    val typeSince = "hudilite.type.since"
    val check = "hudilite.check." // with the name of the constraint
    val stockLock = "hudilite.stock.lock"
    val stockLockStorage = "storage"
    val ownChecksum = "hudilite.table.checksum"
    val index = "hudilite.index"
    val indexGlobal = "hudilite.index.global"
    val bucketCount = "hudilite.bucket.count"
    val bucketFields = "hudilite.bucket.fields"
    val bloomFilters = "hoodie.parquet.bloom.filter.enabled"
    val bloomColumns = "hudilite.bloom.columns"
    val keyEncoding = "hudilite.key.encoding"
    val indexBucket = "BUCKET"
    val indexBloom = "BLOOM"
    val complexEncoding = "COMPLEX"
    val plainEncoding = "PLAIN"
  }

  /** Value of `hoodie.bootstrap.index.class`. Source: hudi-format §2.9. */
  private val bootstrapIndex =
    "org.apache.hudi.common.bootstrap.index.hfile.HFileBootstrapIndex"

  private val foreignFacts = Vector(
    Key.database,
    Key.name,
    Key.recordKeyFields,
    Key.partitionFields,
    Key.createSchema
  )

  /** Reads and checks the file.
    * @param bytes all bytes of hoodie.properties
    * @param file  where they were read, for messages
    * Errors: HUDILITE_CORRUPT_TIMELINE if the file cannot be trusted, HUDILITE_UNSUPPORTED_TABLE if
    * the table uses a feature that hudilite does not support. */
  def parse(bytes: Array[Byte], file: PropertiesFile): TableConfig = {
    val stored = PropertiesText.parse(bytes, file)
    TableChecks.check(TableConfig(stored), file)
    FactsChecksum.check(stored, file)
    TableConfig(stored - Key.ownChecksum)
  }

  /** Returns the properties of a new table with buckets.
    * @param keyFields       key columns in key order, at least one
    * @param partitionFields partition columns in path order
    * @param orderingFields  columns whose greatest values win, none if the last row wins
    * @param avroSchema      Avro JSON of the columns, without meta columns
    * @param numBuckets      buckets of each partition, 1 to 100000
    * @param hashFields      key columns to hash; all of them if empty
    * @param uuid            a new random uuid */
  def forCreate(
      name: String,
      database: Option[String],
      keyFields: Seq[String],
      partitionFields: Seq[String],
      orderingFields: Seq[String],
      avroSchema: String,
      numBuckets: Int,
      hashFields: Seq[String],
      uuid: String
  ): TableConfig = {
    val index = IndexKind.Bucket(numBuckets, if (hashFields.isEmpty) keyFields else hashFields)
    forCreate(name, database, keyFields, partitionFields, orderingFields, avroSchema, index, uuid)
  }

  /** Returns the properties of a new table with either index.
    * @param keyFields     key columns in key order; none for a table without a key, which has no buckets
    * @param version       version of Hudi's table format
    * @param isMergeOnRead whether writes may add log files */
  def forCreate(
      name: String,
      database: Option[String],
      keyFields: Seq[String],
      partitionFields: Seq[String],
      orderingFields: Seq[String],
      avroSchema: String,
      index: IndexKind,
      uuid: String,
      version: TableVersion = TableVersion.ofNewTables,
      isMergeOnRead: Boolean = false
  ): TableConfig = NewTable(
    name,
    database,
    keyFields,
    partitionFields,
    orderingFields,
    avroSchema,
    index,
    uuid,
    version,
    isMergeOnRead
  ).config

  /** Returns the bytes of the file; equal properties give equal bytes. */
  def render(config: TableConfig): Array[Byte] =
    PropertiesText.render(config.properties ++ FactsChecksum.stored(config.properties))

  private[format] def splitFields(text: String): Vector[String] =
    text.split(',').iterator.map(_.trim).filter(_.nonEmpty).toVector
}
