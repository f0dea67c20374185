package hudilite.spark.command

import org.apache.spark.sql.catalyst.expressions.{
  ForeignKeyConstraint,
  PrimaryKeyConstraint,
  UniqueConstraint
}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.NamedTable
import hudilite.spark.plan.TableCommand.Refused

/** Statement that Spark parses and no hudilite table supports, with what to write instead. */
private[command] object RefusedPlan {

  def unapply(plan: LogicalPlan): Option[(CommandTarget, Refused)] = plan match {
    case CreateIndex(CommandTarget(of), _, _, _, _, _) => Some(of -> index("CREATE INDEX"))
    case DropIndex(CommandTarget(of), _, _) => Some(of -> index("DROP INDEX"))
    case AddConstraint(CommandTarget(of), constraint) =>
      Some(of -> (constraint match {
        case key: PrimaryKeyConstraint =>
          refused("ADD PRIMARY KEY",
            t =>
              s"The key of a table is fixed. Write: ${t.copy(key = key.columns).copied()}")
        case key: UniqueConstraint =>
          refused("ADD UNIQUE",
            t =>
              "Only the key of a table is unique, and it is fixed. Write: " +
                t.copy(key = key.columns).copied())
        case _: ForeignKeyConstraint =>
          refused("ADD FOREIGN KEY",
            t =>
              "Rows of other tables are not checked. To see the key of the table, write: " +
                s"SHOW CREATE TABLE ${t.name}")
        case _ => refused("ADD CONSTRAINT", shown)
      }))
    case AddCheckConstraint(Checked(of), check) =>
      Some(of -> refused(
        "ADD CONSTRAINT ... CHECK",
        t =>
          "Conditions are not stored. To find the rows that violate it, write: " +
            s"SELECT * FROM ${t.name} WHERE NOT (${check.condition})"
      ))
    case DropConstraint(CommandTarget(of), _, _, _) => Some(of -> refused("DROP CONSTRAINT", shown))
    case _ => None
  }

  private def shown(t: NamedTable): String =
    "A table has no constraints but its key, which is fixed. To see it, write: " +
      s"SHOW CREATE TABLE ${t.name}"

  private def index(words: String): Refused = Refused(
    words,
    isClause = false,
    t =>
      "A table has one index, which CREATE TABLE declares and every write keeps up to date. To see it, " +
        s"write: ${t.called("show_index")}"
  )

  private def refused(words: String, fix: NamedTable => String): Refused =
    Refused(s"ALTER TABLE ... $words", isClause = false, fix)

  /** Table of a CHECK constraint: the constraint is resolved by the columns of a relation. */
  private object Checked {
    def unapply(plan: LogicalPlan): Option[CommandTarget] = plan.collectFirst {
      case CommandTarget(target) => target
      case DataSourceV2Relation(
            table: HudiliteTable,
            _,
            Some(catalog: TableCatalog),
            Some(ident),
            _,
            _
          ) =>
        new CommandTarget(catalog, ident, table)
    }
  }
}
