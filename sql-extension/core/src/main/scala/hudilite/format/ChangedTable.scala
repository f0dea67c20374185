package hudilite.format

import hudilite.format.TableConfig.Key

/** A table's facts with some of them written anew; the others stay, stock Hudi's included. */
object ChangedTable {

  /** What adoption has learned of a table that stock Hudi made and does not tell itself.
    * @param index      how its keys are found
    * @param complexKey whether the text of a record key is `f:v,f2:v2` */
  def adopted(config: TableConfig, index: IndexKind, complexKey: Boolean): TableConfig =
    TableConfig(
      config.properties ++ NewTable.index(index) + (Key.uuid -> config.uuid)
    ).withKeyEncoding(complexKey)

  /** The same table under another name; its uuid stays. */
  def renamed(config: TableConfig, name: String, database: Option[String]): TableConfig =
    TableConfig(
      config.properties - Key.database ++ database.map(Key.database -> _) ++ Map(
        Key.name -> name,
        Key.checksum -> NewTable.checksum(database, name),
        Key.uuid -> config.uuid
      )
    )
}
