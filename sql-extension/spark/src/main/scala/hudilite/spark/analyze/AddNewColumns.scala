package hudilite.spark.analyze

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedInlineTable}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import hudilite.spark.catalog.{SessionTables, WriteOptions}
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.EvolvingWrites

/** Rule that compares the columns of the rows that a statement writes with those of the table. Until
  * then the table accepts any columns, and Spark leaves the rows as they are. If the statement asks
  * for it, by WITH SCHEMA EVOLUTION or an option of the writer, the table gets the columns that only
  * the rows have, after its own, and its structs get such fields. Otherwise they are an error that
  * says what to type. Spark then resolves the rows by the columns of the table. The commit of the
  * rows adds the columns; nothing changes before it. Types do not change.
  *
  * By name, new columns are those with another name. By position, they are those after the last
  * column of the table, under their own names, as in Delta. The same holds for fields. */
object AddNewColumns extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case insert: InsertIntoStatement if insert.table.resolved =>
      HudiliteTarget.unapply(insert.table) match {
        case Some(target) if !target.table.isOpen => insert
        case Some(target) if insert.query.resolved => compared(insert, target)
        case Some(target) =>
          checkDefaults(insert, target)
          insert
        case None =>
          checkOther(insert, insert.table)
          insert
      }
    case WriteTo(write, target) if target.table.isOpen && write.query.resolved =>
      compared(write, target)
    case write: V2WriteCommand if write.table.resolved =>
      checkOther(write, write.table)
      write
    case merge @ MergeIntoTable(HudiliteTarget(target), source, _, _, _, _, _)
        if target.table.isOpen && source.resolved =>
      new EvolvedMerge(target, merge).resolved
  }

  private def compared(insert: InsertIntoStatement, target: HudiliteTarget): LogicalPlan = {
    // Spark gives insertInto without a format no options.
    val asking = if (isSql(insert)) clause else s".format('${SessionTables.provider}')$option"
    val found = new NewColumns(target, asking)
    val rows = insert.query.output
    val fresh =
      if (insert.byName) found.byName(rows)
      else if (insert.userSpecifiedCols.nonEmpty) found.listed(insert.userSpecifiedCols, rows)
      else found.byPosition(rows, constants(insert))
    val asked = asks(insert, target)
    val table = found.added(fresh, asked)
    val named = if (insert.byName) rows.map(_.name) else insert.userSpecifiedCols
    insert.copy(table = table, query = filled(insert.query, named, table.output, asked))
  }

  private def compared(write: V2WriteCommand, target: HudiliteTarget): LogicalPlan = {
    val found = new NewColumns(target, if (isSql(write)) clause else option)
    val rows = write.query.output
    val fresh = if (write.isByName) found.byName(rows) else found.byPosition(rows, Nil)
    val asked = asks(write, target) || WriteOptions.addsColumns(WriteTo.options(write))
    val table = found.added(fresh, asked)
    val named = if (write.isByName) rows.map(_.name) else Nil
    write.withNewTable(table).withNewQuery(filled(write.query, named, table.output, asked))
  }

  /** Returns rows that are matched by name with fields of structs that they lack.
    * @param named names of the columns of the rows; Nil if they are matched by position
    * @param asked whether the statement asks for schema evolution */
  private def filled(
      rows: LogicalPlan,
      named: Seq[String],
      columns: Seq[Attribute],
      asked: Boolean
  ): LogicalPlan =
    if (!asked || named.size != rows.output.size) rows
    else
      StructFields.filled(
        rows,
        named.map(name => columns.find(of => conf.resolver(of.name, name)))
      )

  /** Errors: HUDILITE_UNSUPPORTED_CLAUSE for DEFAULT in an INSERT with more columns than the table
    * has, where Spark does not find it. */
  private def checkDefaults(insert: InsertIntoStatement, target: HudiliteTarget): Unit = {
    def isNew(name: String) = !target.columns.exists(column => conf.resolver(column.name, name))
    val values = target.columns.size - constants(insert).size
    val adds = insert.userSpecifiedCols.exists(isNew) || insert.query.exists {
      case rows: UnresolvedInlineTable => rows.rows.exists(_.size > values)
      case rows: Project => rows.projectList.size > values
      case _ => false
    }
    if (adds && insert.query.exists(_.expressions.exists(isDefault)) && asks(insert, target))
      throw target.unsupported("DEFAULT in an INSERT that adds columns",
        "Leave the column out of the list, or write BY NAME: it gets its default.")
  }

  /** Partition columns that have a value in the statement. */
  private def constants(insert: InsertIntoStatement): Seq[String] =
    insert.partitionSpec.collect { case (name, Some(_)) => name }.toSeq

  private def isDefault(value: Expression): Boolean = value.exists {
    case UnresolvedAttribute(Seq(name)) => name.equalsIgnoreCase("DEFAULT")
    case _ => false
  }

  private val clause = "INSERT WITH SCHEMA EVOLUTION"
  private[analyze] val option = ".option('mergeSchema', 'true')"

  /** Whether a statement is a text, not the write of a DataFrame. */
  private def isSql(statement: LogicalPlan): Boolean = statement.origin.startIndex.nonEmpty

  private def asks(write: LogicalPlan, target: HudiliteTarget): Boolean =
    EvolvingWrites(write) || WriteOptions.addsColumns(target.relation.options.asScala.toMap)

  /** Errors: HUDILITE_UNSUPPORTED_STATEMENT for the clause in an INSERT into a table of another
    * format, whose rules do not know it where Spark does not parse it. */
  private def checkOther(write: LogicalPlan, table: LogicalPlan): Unit =
    if (
      !EvolvingWrites.isInGrammar && EvolvingWrites(write) && HudiliteTarget.unapply(table).isEmpty
    )
      throw AnalysisErrors.of(
        "HUDILITE_UNSUPPORTED_STATEMENT",
        "statement" -> clause,
        "table" -> table.collectFirst { case of: DataSourceV2Relation => of.name }
          .getOrElse("of another format"),
        "fix" -> "It is not a table of hudilite. Leave WITH SCHEMA EVOLUTION out."
      )
}
