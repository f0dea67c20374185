package hudilite.spark.parse

import scala.annotation.tailrec

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.analysis.UnresolvedTable
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.{AddConstraint, DropConstraint, LogicalPlan}

import hudilite.spark.parse.CommandTokens._
import hudilite.spark.plan.TableCommand._
import hudilite.spark.plan.{NamedTable, SqlTokens, TableCommand, UnresolvedTableCommand}

/** A statement of Delta, Iceberg or stock Hudi about one table, found by its first tokens. It counts
  * only for a hudilite table; for any other it is what the other parsers of the session make of it.
  * @param table  name of the table
  * @param isPath whether the name was a path in quotes */
final private[parse] case class TableCommands(
    table: Seq[String],
    isPath: Boolean,
    command: TableCommand
) {

  /** Returns the plan of the statement.
    * @param parsed what the other parsers make of the text. If they know it, a path in quotes is
    *               theirs */
  def plan(parsed: Either[ParseException, LogicalPlan]): LogicalPlan = parsed match {
    case Right(known) if isPath => known
    case Right(known @ (_: AddConstraint | _: DropConstraint)) => known
    case _ => UnresolvedTableCommand(UnresolvedTable(table, command.words), command, parsed)
  }
}

private[parse] object TableCommands {

  /** Whether a text may be such a statement. Most texts need no look at more than one token. */
  def mayBeIn(sqlText: String): Boolean =
    heads(word(SqlTokens.first(sqlText)))

  /** Finds the statement that a text is, if it is one.
    * @param sqlText statement, variables substituted */
  def in(sqlText: String): Option[TableCommands] =
    new CommandScan(sqlText).statement(SqlTokens.of(sqlText).toList)

  private val heads =
    Set(
      "ALTER",
      "CONVERT",
      "COPY",
      "CREATE",
      "DESC",
      "DESCRIBE",
      "EXPLAIN",
      "FSCK",
      "GENERATE",
      "OPTIMIZE",
      "REFRESH",
      "REORG",
      "REPLACE",
      "RESTORE",
      "RUN",
      "SCHEDULE",
      "SHOW",
      "VACUUM"
    )
}

/** Recognizes the statements. What the grammar of Spark and that of the three projects share is left
  * to Spark's parser. */
final private class CommandScan(sqlText: String) {

  def statement(tokens: List[Token]): Option[TableCommands] = tokens match {
    case init :+ Word(";") => statement(init)
    case Word("DESCRIBE" | "DESC") :: Word("HISTORY") :: Target(of, rest) =>
      history(rest).map(of)
    case Word("DESCRIBE" | "DESC") :: Word("DETAIL") :: Target(of, Nil) => Some(of(Detail))
    case Word("VACUUM") :: Target(of, rest) => Some(of(vacuum(rest, Vacuum(None, dryRun = false))))
    case Word("RESTORE") :: Word("TABLE") :: Target(of, rest) => Some(of(restore(rest)))
    case Word("RESTORE") :: Target(of, rest) => Some(of(restore(rest)))
    case Word("OPTIMIZE") :: Target(of, rest) => Some(of(optimize(rest)))
    case Word("RUN") :: Word("COMPACTION") :: Word("ON") :: Target(of, rest) =>
      Some(of(compaction(rest)))
    case Word("ALTER") :: Word("TABLE") ::
        Target(of, Word(verb @ ("ADD" | "DROP")) :: Word("CONSTRAINT") :: _) =>
      Some(of(AlterConstraint(verb, sqlText)))
    case _ => OtherCommands(sqlText).statement(tokens)
  }

  private def history(rest: List[Token]): Option[TableCommand] = rest match {
    case Nil => Some(History(None))
    case Word("LIMIT") :: Digits(count) :: Nil => count.toIntOption.map(n => History(Some(n)))
    case _ => None // DESCRIBE of a table named history
  }

  @tailrec
  private def vacuum(rest: List[Token], asked: Vacuum): TableCommand = rest match {
    case Nil => asked
    case Word("RETAIN") :: Digits(hours) :: Word("HOURS" | "HOUR") :: more
        if asked.hours.isEmpty && hours.toIntOption.nonEmpty =>
      vacuum(more, asked.copy(hours = hours.toIntOption))
    case Word("DRY") :: Word("RUN") :: more if !asked.dryRun =>
      vacuum(more, asked.copy(dryRun = true))
    case Word(kind @ ("FULL" | "LITE")) :: more =>
      clause(s"VACUUM $kind",
        t =>
          "VACUUM has one form: it deletes the files that commits replaced. Write: " +
            spaced("VACUUM", t.name, written(sqlText, more)))
    case Word("USING") :: Word("INVENTORY") :: _ =>
      clause("USING INVENTORY",
        t => s"The files are known from the commits. Write: VACUUM ${t.name}")
    case other =>
      clause(s"VACUUM ... ${written(sqlText, other)}", t => s"Write: VACUUM ${t.name} DRY RUN")
  }

  private def restore(rest: List[Token]): TableCommand = rest match {
    case Word("TO") :: more => travel(more)
    case other => travel(other)
  }

  private def travel(rest: List[Token]): TableCommand = rest match {
    case Word("FOR") :: more => travel(more)
    case Word("VERSION" | "SYSTEM_VERSION") :: Word("AS") :: Word("OF") :: Digits(n) :: Nil =>
      Restore("versionAsOf", n)
    case Word("VERSION" | "SYSTEM_VERSION") :: Word("AS") :: Word("OF") :: Quoted(text) :: Nil =>
      Restore("versionAsOf", text)
    case Word("TIMESTAMP" | "SYSTEM_TIME") :: Word("AS") :: Word("OF") :: Quoted(text) :: Nil =>
      Restore("timestampAsOf", text)
    case other =>
      clause(
        s"RESTORE ... ${written(sqlText, other)}",
        t =>
          s"It needs TO VERSION AS OF and a number or instant, or TO TIMESTAMP AS OF and a text. " +
            s"To see the versions, write: DESCRIBE HISTORY ${t.name}"
      )
  }

  private def optimize(rest: List[Token]): TableCommand = {
    val (before, order) = rest.span(word(_) != "ZORDER")
    (before, order) match {
      case (Word("FULL") :: more, _) =>
        clause("OPTIMIZE FULL",
          t =>
            "OPTIMIZE has one form: it looks at all files. Write: " +
              spaced("OPTIMIZE", t.name, written(sqlText, more ++ order)))
      case (Where(where), Nil) => Optimize(where)
      case (Where(where), Word("ZORDER") :: Word("BY") :: Names(columns)) =>
        Optimize(where, columns)
      case (Where(_), clauses) =>
        clause(
          written(sqlText, clauses),
          t =>
            "It has names of columns alone, as in ZORDER BY (a, b). Without it, write: " +
              spaced("OPTIMIZE", t.name, written(sqlText, before))
        )
      case _ =>
        clause(s"OPTIMIZE ... ${written(sqlText, rest)}", t => s"Write: OPTIMIZE ${t.name}")
    }
  }

  /** The condition of a clause WHERE that may be missing, as text. */
  private object Where {
    def unapply(tokens: List[Token]): Option[Option[String]] = tokens match {
      case Nil => Some(None)
      case Word("WHERE") :: condition if condition.nonEmpty =>
        Some(Some(written(sqlText, condition)))
      case _ => None
    }
  }

  private def compaction(rest: List[Token]): TableCommand = rest match {
    case Nil => Optimize(None, packs = false)
    case other =>
      clause(s"RUN COMPACTION ... ${written(sqlText, other)}",
        t =>
          s"There are no plans of compactions. Write: OPTIMIZE ${t.name}")
  }

  private def clause(words: String, fix: NamedTable => String): TableCommand =
    Refused(words, isClause = true, fix)

  private def spaced(words: String*): String = words.filter(_.nonEmpty).mkString(" ")
}

/** Name of a table, or a path in quotes, as a pattern on tokens: what to do with a command about it,
  * and the tokens after it. */
private[parse] object Target {
  def unapply(tokens: List[Token]): Option[(TableCommand => TableCommands, List[Token])] =
    tokens match {
      case Quoted(path) :: rest =>
        Some((TableCommands(Seq("hudilite", path), isPath = true, _), rest))
      case Name(name, rest) => Some((TableCommands(name, isPath = false, _), rest))
      case _ => None
    }
}
