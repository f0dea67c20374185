package hudilite.spark.plan

import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryCommand}

/** Statement of Delta, Iceberg or stock Hudi about one table, which Spark's parser does not know, or
  * which the parser of another extension reads in its own way. */
sealed trait TableCommand {

  /** Words with which the statement begins. */
  def words: String
}

object TableCommand {

  /** DESCRIBE HISTORY.
    * @param limit most commits to show; None: all */
  final case class History(limit: Option[Int]) extends TableCommand {
    override def words: String = "DESCRIBE HISTORY"
  }

  case object Detail extends TableCommand {
    override def words: String = "DESCRIBE DETAIL"
  }

  /** VACUUM.
    * @param hours  hours for which no state loses a file; None: the least that are allowed */
  final case class Vacuum(hours: Option[Int], dryRun: Boolean) extends TableCommand {
    override def words: String = "VACUUM"
  }

  /** RESTORE.
    * @param option read option of the same meaning: versionAsOf or timestampAsOf
    * @param text   its value */
  final case class Restore(option: String, text: String) extends TableCommand {
    override def words: String = "RESTORE"
  }

  /** OPTIMIZE, and stock Hudi's RUN COMPACTION.
    * @param where  condition on partition columns, as text
    * @param zorder columns of ZORDER BY; Nil without that clause
    * @param packs  whether small files are put together; RUN COMPACTION merges log files alone */
  final case class Optimize(
      where: Option[String],
      zorder: Seq[Seq[String]] = Nil,
      packs: Boolean = true
  ) extends TableCommand {
    override def words: String = "OPTIMIZE"
  }

  /** ALTER TABLE .. ADD CONSTRAINT or DROP CONSTRAINT. With Delta's extension in the session, Delta's
    * parser reads it as a statement about a Delta table.
    * @param verb ADD or DROP
    * @param text the statement */
  final case class AlterConstraint(verb: String, text: String) extends TableCommand {
    override def words: String = s"ALTER TABLE ... $verb CONSTRAINT"
  }

  /** Statement, or clause of one, that no hudilite table supports.
    * @param isClause whether `words` are those of the clause
    * @param fix      what to write instead */
  final case class Refused(words: String, isClause: Boolean, fix: NamedTable => String)
      extends TableCommand
}

/** Statement about a table until it is known whose table it is.
  * @param table   the table that it names
  * @param command what it means for a hudilite table
  * @param parsed  what the other parsers of the session made of the text, which counts for any other
  *                table. It is not a child, so that no rule changes it */
case class UnresolvedTableCommand(
    table: LogicalPlan,
    command: TableCommand,
    parsed: Either[ParseException, LogicalPlan]
) extends UnaryCommand {

  override def child: LogicalPlan = table
  override lazy val resolved: Boolean = false

  override protected def withNewChildInternal(newChild: LogicalPlan): UnresolvedTableCommand =
    copy(table = newChild)

  override protected def stringArgs: Iterator[Any] = Iterator(command match {
    case TableCommand.Refused(words, _, _) => words
    case TableCommand.AlterConstraint(_, text) => text
    case other => other
  })
}
