package hudilite.spark.catalog

import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.internal.SQLConf

import hudilite.format.{
  DateFolderFacts,
  IndexKind,
  KeyGenerator,
  MergeOrder,
  TableConfig,
  TableVersion
}
import hudilite.spark.plan.{
  AutomaticArchive,
  AutomaticClean,
  AutomaticSync,
  FooterFilters,
  MetadataUpkeep
}

/** Table facts under the property names that Hudi users know. */
object TableFacts {

  /** Returns the short name of the table's type. */
  def typeOf(config: TableConfig): String = if (config.isMergeOnRead) "mor" else "cow"

  /** Properties that DESCRIBE and SHOW TBLPROPERTIES show. */
  def properties(config: TableConfig): Map[String, String] = Map(
    PropertyRules.tableType -> typeOf(config)
  ) ++ listed(PropertyRules.key, config.recordKeyFields) ++
    listed(PropertyRules.ordering, config.namedOrderingFields) ++ (config.index match {
      case IndexKind.Bucket(n, fields) =>
        Map(
          PropertyRules.index -> "BUCKET",
          PropertyRules.buckets -> n.toString,
          PropertyRules.hashField -> fields.mkString(",")
        )
      case IndexKind.Bloom =>
        Option.when(config.isIndexDeclared)(
          PropertyRules.index -> (if (config.isGlobalIndex) "GLOBAL_BLOOM" else "BLOOM")
        )
    }) ++ global(config) ++ version(config) ++ TunableFacts.of(config) ++ dates(config)

  private def listed(name: String, columns: Seq[String]): Option[(String, String)] =
    Option.when(columns.nonEmpty)(name -> columns.mkString(","))

  /** Properties of the rule by which folders are dates, under the names of stock Hudi. */
  private def dates(config: TableConfig): Map[String, String] =
    config.properties.collect {
      case (key, value) if DateFolderFacts.names.contains(DateFolderFacts.stored(key)) =>
        DateFolderFacts.stored(key) -> value
    }

  /** Properties of a table that has another version than new tables, or a metadata table. */
  private def version(config: TableConfig): Map[String, String] = Map(
    TableConfig.Key.version -> config.version.code,
    TableConfig.Key.metadataPartitions -> config.metadataPartitions.mkString(",")
  ).filterNot { case (_, value) => value.isEmpty || value == TableVersion.ofNewTables.code }

  /** Property of a table whose keys are unique over all partitions; None for other tables. */
  def global(config: TableConfig): Option[(String, String)] =
    Option.when(config.isGlobalIndex)(PropertyRules.global -> "true")

  /** Property that gives a new table the table's version; None if it is that of new tables anyway, or
    * no new table can have it. */
  def newVersion(config: TableConfig): Option[(String, String)] =
    Option.when(
      config.version != TableVersion.ofNewTables &&
        VersionOfNewTables.whyNot(config.version.code).isEmpty
    )(PropertyRules.version -> config.version.code)

  /** Property names that Spark reserves for clauses of statements. */
  val reserved: Set[String] = Set(
    TableCatalog.PROP_COMMENT,
    TableCatalog.PROP_COLLATION,
    TableCatalog.PROP_LOCATION,
    TableCatalog.PROP_PROVIDER,
    TableCatalog.PROP_OWNER,
    TableCatalog.PROP_EXTERNAL,
    TableCatalog.PROP_IS_MANAGED_LOCATION,
    TableCatalog.PROP_TABLE_TYPE
  )

  /** Checks a session setting or option under one of Hudi's names: it may repeat a fact, but not
    * contradict it.
    *
    * @param name as the user wrote it
    * @param fact canonical name of the fact
    * Errors: HUDILITE_PROPERTY_CONFLICT with both values. */
  def checkRepeated(config: TableConfig, name: String, fact: String, asked: String): Unit = {
    val declared = value(config, fact)
    val isSame = if (DateFolderFacts.names.contains(fact)) declared == asked.trim
    else PropertyRules.isSame(fact, declared, asked) ||
    fact == PropertyRules.index && PropertyRules.bloomLike(asked).contains(declared)
    if (!isSame) throw PropertyRules.conflict(name, declared, asked)
  }

  /** Checks session settings against the table's facts. File sizes may differ in a session, and the
    * table version is that of new tables.
    * Errors: HUDILITE_PROPERTY_CONFLICT with both values. */
  def checkSession(config: TableConfig, conf: SQLConf): Unit =
    for {
      (name, fact) <- PropertyRules.spellings if !isForSessions(fact)
      if config.dateFields.nonEmpty || !DateFolderFacts.names.contains(fact)
      asked <- Option(conf.getConfString(name, "")) if asked.nonEmpty
    } checkRepeated(config, name, fact, asked)

  /** Whether a session setting of a fact's name may differ from the table. */
  private def isForSessions(fact: String): Boolean =
    TunableFacts.isForSessions(fact) || fact == PropertyRules.version

  /** Value of a fact as text, "" when the table has none. */
  def value(config: TableConfig, fact: String): String = fact match {
    case PropertyRules.partitions => config.partitionFields.mkString(",")
    case PropertyRules.global => config.isGlobalIndex.toString
    case PropertyRules.version => config.version.code
    case PropertyRules.tableName => config.name
    case PropertyRules.mergeMode =>
      MergeOrder.of(config) match {
        case rule: MergeOrder.Named => rule.mode
        case MergeOrder.Other(_, value) => value
      }
    case PropertyRules.keyGenerator =>
      KeyGenerator.of(config.properties).fold(KeyGenerator.named(config.properties).mkString)(
        _.className
      )
    case fact if AutomaticClean.names.contains(fact) =>
      AutomaticClean.value(config.properties, fact)
    case fact if AutomaticArchive.names.contains(fact) =>
      AutomaticArchive.value(config.properties, fact)
    case fact if AutomaticSync.names.contains(fact) =>
      AutomaticSync.value(config.properties, fact)
    case MetadataUpkeep.name =>
      config.properties.getOrElse(MetadataUpkeep.name, MetadataUpkeep.default)
    case FooterFilters.name => FooterFilters.value(config)
    case other => properties(config).getOrElse(other, "")
  }
}
