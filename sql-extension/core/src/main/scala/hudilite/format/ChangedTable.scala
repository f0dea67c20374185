package hudilite.format

import hudilite.format.TableConfig.Key

/** Changes of the properties of a table. All others are kept, also those that only stock Hudi
  * knows. */
object ChangedTable {

  /** Completes the properties of a table of stock Hudi by those that it lacks: the index and the
    * key encoding that adoption has found out, and the uuid.
    * @param index      index of the table
    * @param complexKey whether the text of a record key is `f:v,f2:v2` */
  def adopted(config: TableConfig, index: IndexKind, complexKey: Boolean): TableConfig =
    TableConfig(
      config.properties ++ NewTable.index(index) + (Key.uuid -> config.uuid)
    ).withKeyEncoding(complexKey)

  /** Returns the properties of the table without a metadata table. The definitions of its indexes
    * stay, so that stock Hudi builds them again. */
  def detached(config: TableConfig): TableConfig = TableConfig(
    config.properties ++
      Seq(Key.metadataPartitions, Key.metadataInflight).filter(config.properties.contains).map(
        _ -> ""
      )
  )

  /** Returns the properties of the table with a metadata table that has only the list of files. */
  def filesOnly(config: TableConfig): TableConfig = TableConfig(
    detached(config).properties + (Key.metadataPartitions -> TableConfig.filesPartition)
  )

  /** Returns the properties of the table with a type.
    * @param number commit number that decided the change
    * @param since  last commit before it; None if the table has none */
  private[hudilite] def retyped(
      config: TableConfig,
      isMergeOnRead: Boolean,
      number: Long,
      since: Option[String]
  ): TableConfig = TableConfig(
    config.properties - Key.typeSince ++ since.map(Key.typeSince -> _) ++ Map(
      Key.tableType -> NewTable.tableType(isMergeOnRead),
      Key.typeNumber -> number.toString
    )
  )

  /** Returns the properties of a table with buckets that has another number of buckets. */
  private[hudilite] def rescaled(config: TableConfig, count: Int): TableConfig =
    TableConfig(config.properties + (Key.bucketCount -> count.toString))

  /** Returns the properties of the table under another name; its uuid stays. */
  def renamed(config: TableConfig, name: String, database: Option[String]): TableConfig =
    TableConfig(
      config.properties - Key.database ++ database.map(Key.database -> _) ++ Map(
        Key.name -> name,
        Key.checksum -> NewTable.checksum(database, name),
        Key.uuid -> config.uuid
      )
    )
}
