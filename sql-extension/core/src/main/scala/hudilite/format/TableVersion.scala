package hudilite.format

import hudilite.format.TableConfig.Key

/** Version of Hudi's table format that hudilite opens. Version 7 exists only while stock Hudi
  * upgrades a table.
  * @param code           value of hoodie.table.version
  * @param timelineLayout value of hoodie.timeline.layout.version
  * Source: table-versions §2-3. */
sealed abstract class TableVersion(val code: String, val timelineLayout: String) {

  /** Returns the properties that state the version and the folders of its timeline, but for that of
    * archived instants, which stock Hudi keeps when it changes the version. */
  def properties: Map[String, String] =
    Map(Key.version -> code, Key.layout -> timelineLayout) ++ ofLayout

  /** Name of the folder of archived instants in a new table. */
  def archive: String = ArchiveFolder.history

  private[format] def ofLayout: Map[String, String] = Map(
    Key.timelinePath -> TableVersion.timelineFolder,
    Key.historyPath -> ArchiveFolder.history,
    "hoodie.table.multiple.base.file.formats.enable" -> "false"
  )
}

object TableVersion {
  case object Six extends TableVersion("6", "1") {
    override def archive: String = ArchiveFolder.archived
    override private[format] def ofLayout: Map[String, String] = Map.empty
  }
  case object Eight extends TableVersion("8", "2")
  case object Nine extends TableVersion("9", "2")

  private val all = Vector(Six, Eight, Nine)

  /** Version of the tables that hudilite creates by default: the one that all engines read. */
  val ofNewTables: TableVersion = Six

  /** Folder of the timeline within the metadata folder, in timeline layout 2. */
  val timelineFolder = "timeline"

  /** Returns the version with this code, None if hudilite does not open such tables. */
  def of(code: String): Option[TableVersion] = all.find(_.code == code.trim)

  /** Returns the version that the properties of a table state, even if other properties are damaged
    * or not supported.
    * @param bytes all bytes of hoodie.properties
    * @return None if they state none that hudilite opens */
  def statedIn(bytes: Array[Byte]): Option[TableVersion] =
    PropertiesText.lookUp(bytes, Key.version).flatMap(of)
}
