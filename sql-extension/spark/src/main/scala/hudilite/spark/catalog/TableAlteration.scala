package hudilite.spark.catalog

import scala.util.Try

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.connector.catalog.constraints.Check
import org.apache.spark.sql.connector.catalog.{TableCatalog, TableChange}
import org.apache.spark.sql.types.StructField

import hudilite.error.HudiliteException
import hudilite.format.TableConfig
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.NestedField
import hudilite.timeline.{CommitMetadata, FileGroupRef, Instant}
import hudilite.view.Checkpoints

/** Runs ALTER TABLE and COMMENT ON for one table (driver side).
  *
  * Columns with their comments, and tunable facts such as file sizes, are stored in
  * hoodie.properties. New columns also need a commit, because readers take the columns from the
  * latest one, but no base files. A column that is renamed, dropped or widened needs new base
  * files, see [[ColumnChanges.lost]]. The user's own properties and the table's comment are stored
  * in the catalog entry. A new CHECK constraint needs a commit, too: a write that began without it
  * conflicts with that commit.
  * @param rewrite rewrites every base file with the changed columns, as one commit */
private[catalog] final class TableAlteration(
    entry: CatalogTable,
    table: HudiliteTable,
    rewrite: ColumnChanges => Unit
) {

  /** Changes the table's files.
    * Errors: HUDILITE_PROPERTY_CONFLICT for a fact that is fixed, HUDILITE_PROPERTY_UNSUPPORTED for
    * a property that a table does not accept, HUDILITE_UNSUPPORTED_STATEMENT for an unsupported
    * change, HUDILITE_TABLE_READ_ONLY, HUDILITE_INVALID_NAME, HUDILITE_UNSUPPORTED_TYPE,
    * HUDILITE_CONCURRENT_WRITE.
    * @return the catalog entry to store */
  def run(changes: Seq[TableChange]): CatalogTable = {
    changes.foreach(check)
    val properties = changes.foldLeft(entry)(withProperty)
    val columns = changes.foldLeft(ColumnChanges.none(table.schema))(_.after(_, columnOf))
    if (columns.schema != table.schema) table.checkWritable()
    ColumnRules.check(columns.schema)
    val freed = changes.foldLeft(table.config) {
      case (config, change: DropConstraint) =>
        CheckConstraints.changed(table.name, config, change)
      case (config, _) => config
    }
    val sized = changes.foldLeft(freed)(TunableFacts.changed)
    if (sized != table.config) {
      TunableFacts.checkTogether(sized.properties)
      if (sized.hasStockLock != table.config.hasStockLock)
        StockLockFact.check(table.timeline, sized)
    }
    val config =
      if (columns.schema == table.schema) sized
      else HudiliteTable.withColumns(sized, columns.schema)
    changes.foreach {
      case change: AddConstraint if changes.size == 1 => constrain(change)
      case _: AddConstraint =>
        throw refused("ADD CONSTRAINT with other changes", "Run a statement for each.")
      case _ =>
    }
    if (config != table.config) HudiliteTable.rewrite(table, config)
    if (columns.lost(table.schema).nonEmpty) rewrite(columns)
    else if (columns.added.nonEmpty) commit(columns)
    properties.copy(schema = columns.schema)
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
      if (!PropertyRules.isSame(fact, own, asked))
        throw TableAlteration.procedures.get(fact) match {
          case Some(fix) => refused(s"SET TBLPROPERTIES ('$property' = '$asked')", fix)
          case None => PropertyRules.conflict(property, own, asked)
        }
    }

  private def check(change: TableChange): Unit = change match {
    case _: SetProperty | _: RemoveProperty | _: AddColumn | _: AddConstraint |
        _: DropConstraint =>
    case remark: UpdateColumnComment => checkTop(remark, "COMMENT on")
    case rename: RenameColumn =>
      checkTop(rename, "RENAME COLUMN")
      checkFree(rename, "RENAME COLUMN")
    case drop: DeleteColumn =>
      checkTop(drop, "DROP COLUMN")
      checkFree(drop, "DROP COLUMN")
    case retype: UpdateColumnType =>
      checkTop(retype, "ALTER COLUMN TYPE of")
      checkFree(retype, "ALTER COLUMN TYPE of")
      checkWide(retype)
    case column: ColumnChange =>
      val what = column.getClass.getSimpleName.stripPrefix("UpdateColumn").toUpperCase
      throw refused(s"ALTER COLUMN ${nameOf(column)} ($what)", copy)
    case other => throw refused(other.getClass.getSimpleName, copy)
  }

  private def checkTop(change: ColumnChange, what: String): Unit =
    if (change.fieldNames.length > 1)
      throw refused(s"$what ${nameOf(change)}", "Only top-level columns can be changed.")

  /** Rejects a change of a key, partition or ordering column: the table facts name these. */
  private def checkFree(change: ColumnChange, what: String): Unit = {
    val config = table.config
    val roles = config.recordKeyFields.map(NestedField.column(_) -> "a key column") ++
      config.partitionFields.map(_ -> "a partition column") ++
      config.namedOrderingFields.map(_ -> "an ordering field")
    roles.toMap.get(nameOf(change)).foreach(role =>
      throw refused(s"$what ${nameOf(change)}, $role", copy)
    )
    CheckConstraints.reading(config, nameOf(change)).foreach(constraint =>
      throw refused(
        s"$what ${nameOf(change)}, a column of the constraint $constraint",
        s"Type ALTER TABLE ... DROP CONSTRAINT ${quoteIfNeeded(constraint)} first."
      )
    )
  }

  private def checkWide(retype: UpdateColumnType): Unit =
    table.schema.find(_.name == nameOf(retype)).foreach { field =>
      if (
        field.dataType != retype.newDataType &&
        !ColumnChanges.widens(field.dataType, retype.newDataType)
      )
        throw refused(
          s"ALTER COLUMN ${field.name} TYPE ${retype.newDataType.sql} of ${field.dataType.sql}",
          "A type can only become one that contains all its values: a longer integer, DOUBLE, or a " +
            s"DECIMAL of more digits. For other types: $copy"
        )
    }

  private def columnOf(add: AddColumn): StructField = {
    val name = nameOf(add)
    if (add.fieldNames.length > 1)
      throw refused(s"ADD COLUMN $name", "Only top-level columns can be added.")
    if (Option(add.position).nonEmpty)
      throw refused(s"ADD COLUMN $name ${add.position}",
        "New columns are added at the end. Remove the position.")
    if (Option(add.defaultValue).nonEmpty)
      throw refused(
        s"ADD COLUMN $name DEFAULT",
        "Remove DEFAULT: other readers return null for the existing rows."
      )
    if (!add.isNullable)
      throw refused(s"ADD COLUMN $name NOT NULL",
        "The existing rows contain null in the new column. Remove NOT NULL.")
    val field = StructField(name, add.dataType, nullable = true)
    Option(add.comment).fold(field)(field.withComment)
  }

  /** Adds a constraint that Spark has compared with the rows of one version. The properties come first:
    * a write that does not know the constraint yet conflicts with the commit. Of two statements at once,
    * the one whose commit fails takes its own constraint back, and may take the other's, too: the other
    * adds it again. */
  private def constrain(change: AddConstraint): Unit = {
    def stored = table.timeline.config()
    val config = CheckConstraints.changed(table.name, stored, change)
    change.constraint match {
      case check: Check =>
        CheckConstraints.checkNames(table.name, check.predicateSql, table.schema)
      case _ =>
    }
    if (table.version != change.validatedTableVersion) throw overtaken
    HudiliteTable.rewrite(table, config)
    try commit(ColumnChanges.none(table.schema))
    catch {
      case fault: Throwable =>
        Try(HudiliteTable.rewrite(table, without(stored, change))).failed.foreach(
          fault.addSuppressed
        )
        throw fault
    }
    if (without(stored, change) == stored)
      HudiliteTable.rewrite(table, CheckConstraints.changed(table.name, stored, change))
  }

  private def without(config: TableConfig, change: AddConstraint): TableConfig =
    config.withChecks(config.checks.filterNot(_._1 == change.constraint.name))

  private def overtaken: HudiliteException = HudiliteException(
    "HUDILITE_CONCURRENT_WRITE",
    "table" -> table.name,
    "bucket" -> "all, because their rows were compared with the new constraint",
    "instant" -> table.snapshot.lastInstant.getOrElse("")
  )

  private def commit(columns: ColumnChanges): Unit = {
    val snapshot = table.snapshot
    val transaction =
      table.log.begin(snapshot.base, Instant.ofWrite(table.config.isMergeOnRead))
    try {
      val metadata = CommitMetadata(CommitMetadata.alterSchema, table.avroSchema(columns), Nil)
      val done = transaction.commit(metadata, Set(FileGroupRef.wholeTable))
      Checkpoints.afterCommit(table.timeline, table.config, done.number)
    } finally transaction.abort(): Unit
  }

  private def nameOf(change: ColumnChange): String = change.fieldNames.mkString(".")

  private val copy = "Create a new table and insert the rows of this one."

  private def refused(what: String, fix: String): AnalysisException = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_STATEMENT",
    "statement" -> s"ALTER TABLE ... $what",
    "table" -> table.name,
    "fix" -> fix
  )
}

private object TableAlteration {

  /** Procedures that change facts of a table, by the facts; ALTER TABLE does not change these. */
  private val procedures = Map(
    PropertyRules.tableType -> "Type CALL set_table_type(table => '...', type => 'cow'), or 'mor', instead.",
    PropertyRules.version -> ("Type CALL upgrade_table(table => '...', version => 9), or CALL downgrade_table(table => '...', " +
      "version => 6), instead.")
  )
}
