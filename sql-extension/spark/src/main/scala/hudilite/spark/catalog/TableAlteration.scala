package hudilite.spark.catalog

import scala.util.Try

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.connector.catalog.constraints.Check
import org.apache.spark.sql.connector.catalog.{TableCatalog, TableChange}

import hudilite.error.HudiliteException
import hudilite.format.TableConfig
import hudilite.spark.error.AnalysisErrors
import hudilite.timeline.{CommitMetadata, FileGroupRef, Instant}
import hudilite.view.Checkpoints

/** Runs ALTER TABLE and COMMENT ON for one table (driver side).
  *
  * Columns with their comments, and tunable facts such as file sizes, are stored in
  * hoodie.properties. New columns and fields, their order, and columns that may become NULL also need
  * a commit, because readers take the columns from the latest one, but no base files. A column or
  * field that is renamed, dropped or widened needs new base files, see [[ColumnChanges.lost]]. The user's own properties and the table's comment are stored
  * in the catalog entry. A new CHECK constraint needs a commit, too: a write that began without it
  * conflicts with that commit.
  * @param written name of the table in statements
  * @param rewrite rewrites every base file with the changed columns, as one commit */
private[catalog] final class TableAlteration(
    entry: CatalogTable,
    table: HudiliteTable,
    written: String,
    rewrite: ColumnChanges => Unit
) {

  private val rules = new ColumnChangeRules(table, written)

  /** Changes the table's files.
    * Errors: HUDILITE_PROPERTY_CONFLICT for a fact that is fixed, HUDILITE_PROPERTY_UNSUPPORTED for
    * a property that a table does not accept, HUDILITE_UNSUPPORTED_STATEMENT for an unsupported
    * change, HUDILITE_TABLE_READ_ONLY, HUDILITE_INVALID_NAME, HUDILITE_UNSUPPORTED_TYPE,
    * HUDILITE_CONCURRENT_WRITE.
    * @return the catalog entry to store */
  def run(changes: Seq[TableChange]): CatalogTable = {
    val columns = ReplacedColumns.of(table, written, changes)
      .foldLeft(ColumnChanges.none(table.schema)) { (columns, change) =>
        rules.check(change, columns.schema)
        columns.after(change)
      }
    val properties = changes.foldLeft(entry)(withProperty)
    if (columns.schema != table.schema) table.checkWritable()
    ColumnRules.check(columns.schema)
    val freed = changes.foldLeft(table.config) {
      case (config, change: DropConstraint) =>
        CheckConstraints.changed(table.name, config, change)
      case (config, _) => config
    }
    val sized = changes.foldLeft(freed)(TunableFacts.changed(columns.schema))
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
    else if (table.avroSchema(columns) != table.avroSchema(table.snapshot)) commit(columns)
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
