package hudilite.spark.catalog

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.connector.catalog.{TableCatalog, TableChange}
import org.apache.spark.sql.types.{StructField, StructType}

import hudilite.spark.AnalysisErrors
import hudilite.timeline.{CommitMetadata, FileGroupRef}

/** ALTER TABLE and COMMENT ON for one table.
  *
  * Columns and their comments are facts of the table: a new column is a commit without files, since
  * every reader takes the columns from the latest commit. So are the sizes of its files. The user's
  * own properties and the table's comment belong to the catalog's entry. */
private[catalog] final class TableAlteration(entry: CatalogTable, table: HudiliteTable) {

  /** Errors: HUDILITE_PROPERTY_CONFLICT, HUDILITE_PROPERTY_UNSUPPORTED for a fact,
    * HUDILITE_UNSUPPORTED_STATEMENT for a change that is not there,
    * HUDILITE_INVALID_NAME, HUDILITE_UNSUPPORTED_TYPE, HUDILITE_CONCURRENT_WRITE.
    * @return the entry as it should be now */
  def run(changes: Seq[TableChange]): CatalogTable = {
    val others = changes.filterNot {
      case _: SetProperty | _: RemoveProperty | _: AddColumn | _: UpdateColumnComment => true
      case _ => false
    }
    others.headOption.foreach(change => throw refused(change))
    val properties = changes.foldLeft(entry)(withProperty)
    val added = changes.collect { case add: AddColumn => columnOf(add) }
    val schema = changes.foldLeft(StructType(table.schema ++ added))(withComment)
    ColumnRules.check(schema)
    val sized = changes.foldLeft(table.config)(TunableFacts.changed)
    val config =
      if (schema == table.schema) sized else HudiliteTable.withColumns(sized, schema)
    if (config != table.config) HudiliteTable.rewrite(table, config)
    if (added.nonEmpty) commit(added)
    properties.copy(schema = schema)
  }

  private def withProperty(current: CatalogTable, change: TableChange): CatalogTable =
    change match {
      case set: SetProperty if set.property == TableCatalog.PROP_COMMENT =>
        current.copy(comment = Some(set.value))
      case remove: RemoveProperty if remove.property == TableCatalog.PROP_COMMENT =>
        current.copy(comment = None)
      case set: SetProperty =>
        checkFact(set.property, set.value)
        val user = PropertyRules.userProperties(Map(set.property -> set.value))
        current.copy(properties = current.properties ++ user)
      case remove: RemoveProperty =>
        checkFact(remove.property, "")
        current.copy(properties = current.properties - remove.property)
      case _ => current
    }

  private def checkFact(property: String, asked: String): Unit =
    PropertyRules.factOf(property).filterNot(TunableFacts.names.contains).foreach { fact =>
      val own = TableFacts.value(table.config, fact)
      if (!PropertyRules.isSame(own, asked))
        throw PropertyRules.conflict(property, own, asked)
    }

  private def columnOf(add: AddColumn): StructField = {
    val name = add.fieldNames.mkString(".")
    if (add.fieldNames.length > 1)
      throw refused(s"ADD COLUMN $name", "Add a top-level column.")
    if (Option(add.position).nonEmpty)
      throw refused(s"ADD COLUMN $name ${add.position}",
        "New columns stand at the end; leave it out.")
    if (Option(add.defaultValue).nonEmpty)
      throw refused(
        s"ADD COLUMN $name DEFAULT",
        "Leave DEFAULT out: other readers show null in rows that are there already."
      )
    if (!add.isNullable)
      throw refused(s"ADD COLUMN $name NOT NULL", "Rows that are there hold null; leave it out.")
    val field = StructField(name, add.dataType, nullable = true)
    Option(add.comment).fold(field)(field.withComment)
  }

  private def withComment(schema: StructType, change: TableChange): StructType = change match {
    case update: UpdateColumnComment =>
      val Array(name, nested @ _*) = update.fieldNames: @unchecked
      if (nested.nonEmpty)
        throw refused(s"COMMENT on ${update.fieldNames.mkString(".")}", "Name a top-level column.")
      StructType(schema.map(f => if (f.name == name) f.withComment(update.newComment) else f))
    case _ => schema
  }

  private def commit(added: Seq[StructField]): Unit = {
    val snapshot = table.snapshot
    val columns = SchemaText.appended(
      snapshot.schema.getOrElse(SchemaText.toAvro(table.schema, table.config.name)),
      StructType(added)
    )
    val transaction = table.log.begin(snapshot.base)
    try
      transaction.commit(
        CommitMetadata("ALTER_SCHEMA", columns, Nil),
        Set(FileGroupRef.wholeTable)
      )
    finally transaction.abort(): Unit
  }

  private def refused(change: TableChange): AnalysisException = change match {
    case rename: RenameColumn =>
      refused(s"RENAME COLUMN ${rename.fieldNames.mkString(".")}", copy)
    case drop: DeleteColumn => refused(s"DROP COLUMN ${drop.fieldNames.mkString(".")}", copy)
    case retype: UpdateColumnType =>
      refused(s"ALTER COLUMN ${retype.fieldNames.mkString(".")} TYPE", copy)
    case column: ColumnChange =>
      val what = column.getClass.getSimpleName.stripPrefix("UpdateColumn").toUpperCase
      refused(s"ALTER COLUMN ${column.fieldNames.mkString(".")} ($what)", copy)
    case other => refused(other.getClass.getSimpleName, copy)
  }

  private val copy = "Create a new table and insert this one's rows."

  private def refused(what: String, fix: String): AnalysisException = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_STATEMENT",
    "statement" -> s"ALTER TABLE ... $what",
    "table" -> table.name,
    "fix" -> fix
  )
}
