package hudilite.spark.command

import org.apache.spark.sql.catalyst.expressions.{
  ForeignKeyConstraint,
  PrimaryKeyConstraint,
  UniqueConstraint
}
import org.apache.spark.sql.catalyst.plans.logical._

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
        case other =>
          refused(s"ADD ${other.sql}",
            t => s"To see the constraints, write: DESCRIBE EXTENDED ${t.name}")
      }))
    case _ => None
  }

  private def index(words: String): Refused = Refused(
    words,
    isClause = false,
    t =>
      "A table has one index, which CREATE TABLE declares and every write keeps up to date. To see it, " +
        s"write: ${t.called("show_index")}"
  )

  private def refused(words: String, fix: NamedTable => String): Refused =
    Refused(s"ALTER TABLE ... $words", isClause = false, fix)
}
