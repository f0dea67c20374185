package hudilite.format

import hudilite.format.TableConfig.Key

/** Properties of a table after its version has changed, with the keys that stock Hudi's upgrade and
  * downgrade write. The rule for merging rows stays. Properties that only stock Hudi knows are kept.
  * Source: table-versions §2.1-2.5, §3.3, §3.5. */
object ChangedVersion {
  private val legacyPayload = "hoodie.table.legacy.payload.class"
  private val otherStrategy = "hoodie.compaction.record.merger.strategy"

  /** Properties that depend on the version and are set for each. */
  private val replaced = TableVersion.Nine.ofLayout.keySet ++ Set(
    legacyPayload,
    otherStrategy,
    Key.mergeStrategy,
    Key.mergeMode,
    Key.payloadClass,
    Key.orderingFields,
    Key.preCombineField,
    Key.keyGeneratorType,
    Key.keyGeneratorClass
  )

  /** Returns the properties of a writable table at another version. */
  def of(config: TableConfig, version: TableVersion): TableConfig = TableConfig(
    config.properties -- replaced -- forLater(version) ++ version.properties ++
      layout(config, version) ++ keys(config, version) ++ merging(config, version) ++
      bootstrap(config, version)
  )

  /** Returns the property that says what a write does to the metadata table, if the version has no
    * choice. */
  private def forLater(version: TableVersion): Option[String] =
    Option.when(version == TableVersion.Six)(Key.metadata)

  /** Returns these properties for a move of the timeline that a commit number decided. */
  def of(config: TableConfig, version: TableVersion, number: Long): TableConfig = TableConfig(
    of(config, version).properties + (Key.versionNumber -> number.toString)
  )

  private def layout(config: TableConfig, version: TableVersion): Map[String, String] =
    Map(Key.archiveFolder -> config.text(Key.archiveFolder).getOrElse(version.archive)) ++
      Option.when(version != TableVersion.Six)(
        Key.initialVersion -> config.text(Key.initialVersion).getOrElse(config.version.code)
      )

  private def keys(config: TableConfig, version: TableVersion): Map[String, String] = {
    val known = KeyGenerator.of(config.properties)
    val code = config.text(Key.keyGeneratorType).orElse(known.map(_.code))
    val name = config.text(Key.keyGeneratorClass).orElse(known.map(_.className))
    code.map(Key.keyGeneratorType -> _).toMap ++
      name.filter(_ => version == TableVersion.Six).map(Key.keyGeneratorClass -> _)
  }

  private def merging(config: TableConfig, version: TableVersion): Map[String, String] = {
    val rule = MergeOrder.byField(config.orderingFields.nonEmpty)
    val stated = config.text(Key.payloadClass).orElse(config.text(legacyPayload))
    val payload = Key.payloadClass -> stated.getOrElse(rule.payload)
    val strategy = Key.mergeStrategy -> rule.strategy
    val mode = Key.mergeMode -> rule.mode
    val fields = config.namedOrderingFields.mkString(",")
    def ordering(keys: String*): Map[String, String] =
      keys.filter(_ => fields.nonEmpty).map(_ -> fields).toMap
    version match {
      case TableVersion.Six =>
        ordering(Key.orderingFields, Key.preCombineField) + strategy + payload
      case TableVersion.Eight =>
        ordering(Key.orderingFields, Key.preCombineField) + strategy + payload + mode
      case TableVersion.Nine =>
        ordering(Key.orderingFields) + mode ++ stated.map(legacyPayload -> _)
    }
  }

  private def bootstrap(config: TableConfig, version: TableVersion): Option[(String, String)] =
    Option.when(config.isBootstrapped && version != TableVersion.Six)(Key.bootstrapType -> "HFILE")
}
