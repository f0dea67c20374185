package hudilite.format

import hudilite.format.TableConfig.Key

/** Properties of a table after its version has changed, with the keys that stock Hudi's upgrade and
  * downgrade write. The rule for merging rows stays. Properties that only stock Hudi knows are kept.
  * Source: table-versions §2.1-2.5, §3.3, §3.5. */
object ChangedVersion {
  private val payloadFolder = "org.apache.hudi.common.model"
  private val initial = "hoodie.table.initial.version"
  private val archive = "hoodie.archivelog.folder"
  private val legacyPayload = "hoodie.table.legacy.payload.class"
  private val strategy = "hoodie.record.merge.strategy.id"
  private val otherStrategy = "hoodie.compaction.record.merger.strategy"
  private val severalFormats = "hoodie.table.multiple.base.file.formats.enable"
  private val historyPath = "hoodie.timeline.history.path"

  /** Properties that depend on the version and are set for each. */
  private val replaced = Set(
    legacyPayload,
    strategy,
    otherStrategy,
    severalFormats,
    historyPath,
    Key.timelinePath,
    Key.mergeMode,
    Key.payloadClass,
    Key.orderingFields,
    Key.preCombineField,
    Key.keyGeneratorType,
    Key.keyGeneratorClass
  )

  /** Returns the properties of a writable table at another version. */
  def of(config: TableConfig, version: TableVersion): TableConfig = TableConfig(
    config.properties -- replaced ++ version.properties ++ layout(config, version) ++
      keys(config, version) ++ merging(config, version) ++ bootstrap(config, version)
  )

  /** Returns these properties for a move of the timeline that a commit number decided. */
  def of(config: TableConfig, version: TableVersion, number: Long): TableConfig = TableConfig(
    of(config, version).properties + (Key.versionNumber -> number.toString)
  )

  private def layout(config: TableConfig, version: TableVersion): Map[String, String] = {
    val archived = config.text(archive)
    version match {
      case TableVersion.Six => Map(archive -> archived.getOrElse(NewTable.archived))
      case TableVersion.Eight | TableVersion.Nine => Map(
          archive -> archived.getOrElse(NewTable.history),
          historyPath -> NewTable.history,
          Key.timelinePath -> TableVersion.timelineFolder,
          severalFormats -> "false",
          initial -> config.text(initial).getOrElse(config.version.code)
        )
    }
  }

  private def keys(config: TableConfig, version: TableVersion): Map[String, String] = {
    val known = KeyGenerator.of(config.properties)
    val code = config.text(Key.keyGeneratorType).orElse(known.map(_.code))
    val name = config.text(Key.keyGeneratorClass).orElse(known.map(_.className))
    code.map(Key.keyGeneratorType -> _).toMap ++
      name.filter(_ => version == TableVersion.Six).map(Key.keyGeneratorClass -> _)
  }

  private def merging(config: TableConfig, version: TableVersion): Map[String, String] = {
    val byTime = config.orderingField.nonEmpty
    val stated = config.text(Key.payloadClass).orElse(config.text(legacyPayload))
    val payload = stated.getOrElse(
      s"$payloadFolder." +
        (if (byTime) "DefaultHoodieRecordPayload" else "OverwriteWithLatestAvroPayload")
    )
    val mode = if (byTime) "EVENT_TIME_ORDERING" else "COMMIT_TIME_ORDERING"
    val rule = strategy -> (if (byTime) NewTable.eventTime else NewTable.commitTime)
    val fields = config.orderingFields.mkString(",")
    def ordering(keys: String*): Map[String, String] =
      keys.filter(_ => fields.nonEmpty).map(_ -> fields).toMap
    version match {
      case TableVersion.Six =>
        ordering(Key.orderingFields, Key.preCombineField) + rule + (Key.payloadClass -> payload)
      case TableVersion.Eight =>
        ordering(Key.orderingFields, Key.preCombineField) + rule +
          (Key.payloadClass -> payload) + (Key.mergeMode -> mode)
      case TableVersion.Nine =>
        ordering(Key.orderingFields) + (Key.mergeMode -> mode) ++ stated.map(legacyPayload -> _)
    }
  }

  private def bootstrap(config: TableConfig, version: TableVersion): Option[(String, String)] =
    Option.when(config.isBootstrapped && version != TableVersion.Six)(Key.bootstrapType -> "HFILE")
}
