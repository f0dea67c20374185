package hudilite.format

import java.nio.charset.StandardCharsets.UTF_8

import hudilite.format.TableConfig.Key

/** Properties of a table that hudilite creates: of table version 6 in the spellings that both Hudi 0.x
  * and 1.x read, or of version 9.
  * Source: hudi-format §2.1, §2.5; table-versions §2.1, §2.6. */
private[format] final case class NewTable(
    name: String,
    database: Option[String],
    keyFields: Seq[String],
    partitionFields: Seq[String],
    orderingFields: Seq[String],
    avroSchema: String,
    index: IndexKind,
    uuid: String,
    version: TableVersion,
    isMergeOnRead: Boolean
) {
  private val generator = KeyGenerator.inferred(keyFields, partitionFields)
  private val isComplex =
    keyFields.size > 1 || keyFields.nonEmpty && generator == KeyGenerator.Complex

  def config: TableConfig = TableConfig(identity ++ layout ++ keys ++ ordering ++ ours)
    .withKeyEncoding(isComplex)

  private def identity: Map[String, String] = Map(
    Key.name -> name,
    Key.checksum -> NewTable.checksum(database, name),
    Key.createSchema -> avroSchema
  ) ++ database.map(Key.database -> _)

  private def layout: Map[String, String] = Map(
    Key.tableType -> NewTable.tableType(isMergeOnRead),
    Key.timezone -> "UTC",
    "hoodie.table.base.file.format" -> "PARQUET",
    "hoodie.table.format" -> "native",
    "hoodie.populate.meta.fields" -> "true",
    "hoodie.table.cdc.enabled" -> "false",
    "hoodie.partition.metafile.use.base.format" -> "false"
  ) ++ version.properties + (Key.archiveFolder -> version.archive) ++
    Option.when(!isOfVersion6)(Key.initialVersion -> version.code)

  private def keys: Map[String, String] = Map(
    Key.partitionFields -> partitionFields.mkString(","),
    Key.keyGeneratorType -> generator.code,
    Key.hiveStyle -> "true",
    Key.urlEncode -> "true",
    "hoodie.datasource.write.drop.partition.columns" -> "false",
    "hoodie.table.partition_extractor_class" -> extractor
  ) ++ Option.when(keyFields.nonEmpty)(Key.recordKeyFields -> keyFields.mkString(",")) ++
    Option.when(isOfVersion6)(Key.keyGeneratorClass -> generator.className)

  private def extractor: String = "org.apache.hudi.hive." + (partitionFields.size match {
    case 0 => "NonPartitionedExtractor"
    case 1 => "HiveStylePartitionValueExtractor"
    case _ => "MultiPartKeysValueExtractor"
  })

  private def isOfVersion6: Boolean = version == TableVersion.Six

  private def ordering: Map[String, String] = {
    val rule = MergeOrder.byField(orderingFields.nonEmpty)
    val names = orderingFields.mkString(",")
    def fields(keys: String*) = keys.filter(_ => names.nonEmpty).map(_ -> names).toMap
    if (isOfVersion6)
      fields(Key.orderingFields, Key.preCombineField) +
        (Key.payloadClass -> rule.payload) + (Key.mergeStrategy -> rule.strategy)
    else fields(Key.orderingFields) + (Key.mergeMode -> rule.mode)
  }

  private def ours: Map[String, String] = NewTable.index(index) + (Key.uuid -> uuid)
}

private[format] object NewTable {

  /** Returns Hudi's word for a table type. */
  def tableType(isMergeOnRead: Boolean): String =
    if (isMergeOnRead) Key.mergeOnRead else Key.copyOnWrite

  /** Returns the properties that declare the index of a table. */
  def index(kind: IndexKind): Map[String, String] = kind match {
    case IndexKind.Bloom => Map(Key.index -> Key.indexBloom)
    case IndexKind.Bucket(count, fields) =>
      Map(
        Key.index -> Key.indexBucket,
        Key.bucketCount -> count.toString,
        Key.bucketFields -> fields.mkString(",")
      )
  }

  /** Returns Hudi's checksum over the table's name; the dot is included even without a database. */
  def checksum(database: Option[String], name: String): String =
    Crc.of(s"${database.getOrElse("")}.$name".getBytes(UTF_8)).toString
}
