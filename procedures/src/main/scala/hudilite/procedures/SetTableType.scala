package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{IntegerType, StringType, StructType}

import hudilite.service.TableTypeChange
import hudilite.spark.catalog.{HudiliteTable, PropertyRules, TableFacts}
import hudilite.spark.hive.SyncBehind
import hudilite.spark.meta.MetadataRows
import hudilite.spark.plan.WriteSettings
import hudilite.spark.repair.{CompactionSteps, StoredOrdering}

/** Procedure `CALL set_table_type(table => 'db.t', type => 'cow')`. Makes a merge-on-read table
  * copy-on-write, or the reverse. Rows and table states stay. Log files are compacted before the table
  * becomes copy-on-write, some partitions at a time. Does nothing if the table has the type.
  *
  * Errors: those of [[Arguments]]; HUDILITE_NULL_ORDERING_STORED if the table would become merge-on-read
  * and a row has no ordering value; HUDILITE_UNSUPPORTED_TABLE while an action is pending;
  * HUDILITE_CONCURRENT_WRITE if commits of others come in between again and again, or change the type or
  * the version; HUDILITE_PARTLY_COMMITTED after the commit of a partition; those of a compaction and of a
  * commit.
  * Source: decision 0022. */
final class SetTableType(catalog: TableCatalog) extends Procedure {
  import SetTableType._

  override def name: String = "set_table_type"
  override def purpose: String =
    "Makes a merge-on-read table copy-on-write, or a copy-on-write table merge-on-read."
  override def example: String = "CALL set_table_type(table => 'db.t', type => 'cow')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.table,
    Procedure.needed("type", "cow or COPY_ON_WRITE, mor or MERGE_ON_READ")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val asked = arguments.text(1, "type", fix)
    val kind = PropertyRules.typeOf(asked).getOrElse(throw arguments.invalid("type", asked, fix))
    val opened = arguments.writableTable(0, "table")
    val from = TableFacts.typeOf(opened.config)
    val isFinished = new TableTypeChange(opened.timeline, opened.log).finishLast()
    val table = if (isFinished) arguments.writableTable(0, "table") else opened
    if (TableFacts.typeOf(table.config) == kind)
      Result.of(schema,
        Seq(MetadataRows.row(from, kind, 0, if (from == kind) nothing else changed)))
    else {
      val compacted = change(() => arguments.writableTable(0, "table"), kind == "mor")
      SyncBehind(arguments.table(0, "table"))
      Result.of(schema, Seq(MetadataRows.row(from, kind, compacted, changed)))
    }
  }
}

object SetTableType {
  private val schema: StructType = new StructType()
    .add("from_type", StringType, nullable = false)
    .add("to_type", StringType, nullable = false)
    .add("file_groups_compacted", IntegerType, nullable = false)
    .add("result", StringType, nullable = false)

  private val changed = "changed"
  private val nothing = "nothing to do"
  private val fix = "Write cow (copy-on-write) or mor (merge-on-read)."

  /** Tries beside writers whose commits come in between. */
  private val maxTries = 10

  /** Gives a table the other type.
    * @param open opens the table as it is then
    * @return number of file groups that were compacted
    * Errors: those of the procedure. */
  private[procedures] def change(open: () => HudiliteTable, isMergeOnRead: Boolean): Int = {
    open().log.rollback.rollBackOlderThan(
      WriteSettings.of(SparkSession.active.sessionState.conf).rollbackMillis
    ): Unit
    change(open, isMergeOnRead, maxTries, 0)
  }

  /** Prepares the rows and changes the type; again, if a commit came in between. */
  @tailrec private def change(
      open: () => HudiliteTable,
      isMergeOnRead: Boolean,
      triesLeft: Int,
      compacted: Int
  ): Int = {
    val session = SparkSession.active
    val table = open()
    val typeChange = new TableTypeChange(table.timeline, table.log)
    table.snapshot.checkNothingPlanned()
    typeChange.checkIdle() // before all rows are read or rewritten
    val done = if (isMergeOnRead) {
      StoredOrdering.check(session, table)
      0
    } else
      new CompactionSteps(session, open, CompactionSteps.beforeCopyOnWrite).run(table).size
    val isReady = done == 0
    if (isReady && typeChange.run(isMergeOnRead, table.snapshot.number))
      compacted
    else if (triesLeft == 0)
      throw TableTypeChange.overtaken(table.name, table.snapshot.lastInstant.mkString)
    else change(open, isMergeOnRead, triesLeft - 1, compacted + done)
  }
}
