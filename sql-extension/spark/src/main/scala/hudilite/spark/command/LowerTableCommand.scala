package hudilite.spark.command

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{
  ResolvedNamespace,
  ResolvedTable,
  UnresolvedTable,
  UnresolvedTableOrView
}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.plans.logical.{
  AnalyzeColumn,
  AnalyzeTable,
  AnalyzeTables,
  DescribeColumn,
  LogicalPlan
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution.command.AnalyzeTablesCommand

import hudilite.spark.catalog.{HudiliteTableCatalog, SessionParts}
import hudilite.spark.error.AnalysisErrors
import hudilite.spark.plan.{TableCommand, UnresolvedTableCommand}
import hudilite.spark.repair.ClusterSteps

/** Analyzer rule that turns statements of Delta, Iceberg and stock Hudi about a hudilite table into
  * hudilite's commands, or into an error that says what to write instead. A statement about any other
  * table becomes what the other parsers of the session have made of it. */
final case class LowerTableCommand(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case UnresolvedTableCommand(CommandTarget(target), command, _) => lowered(target, command)
    case UnresolvedTableCommand(_: ResolvedTable, _, parsed) =>
      parsed.fold(fault => throw fault, identity)
    case UnresolvedTableCommand(_: UnresolvedTable, _, Right(other)) if mayBe(other) => other
    case RefusedPlan(target, refused) => throw error(target, refused)
    case AnalyzeTable(CommandTarget(target), _, noScan) => analyzed(target, None, noScan)
    case AnalyzeColumn(CommandTarget(target), names, _) =>
      analyzed(target,
        Some(names.fold[AnalyzeCommand.Columns](AnalyzeCommand.All)(
          AnalyzeCommand.Named(_)
        )),
        noScan = false)
    case AnalyzeTables(ResolvedNamespace(catalog: HudiliteTableCatalog, names, _), noScan) =>
      AnalyzeNamespaceCommand(catalog.name +: names, noScan)
    case AnalyzeTablesCommand(database, noScan) if isOfSession =>
      val name = database.getOrElse(session.catalog.currentDatabase)
      AnalyzeNamespaceCommand(Seq(SessionParts.sessionCatalog, name), noScan)
  }

  /** Whether hudilite's catalog is Spark's session catalog. */
  private def isOfSession: Boolean =
    ClassicSession.active.sessionState.catalogManager.catalog(SessionParts.sessionCatalog)
      .isInstanceOf[HudiliteTableCatalog]

  private def analyzed(
      target: CommandTarget,
      columns: Option[AnalyzeCommand.Columns],
      noScan: Boolean
  ): AnalyzeCommand = {
    checkWhole(target, "ANALYZE TABLE")
    AnalyzeCommand(target, columns, noScan)
  }

  private def lowered(target: CommandTarget, command: TableCommand): LogicalPlan = {
    checkWhole(target, command.words)
    command match {
      case TableCommand.History(limit) => HistoryCommand(target, limit)
      case TableCommand.Detail => DetailCommand(target)
      case TableCommand.Vacuum(hours, dryRun) => VacuumCommand(target, hours, dryRun)
      case TableCommand.Restore(option, text) => RestoreCommand(target, option, text)
      case TableCommand.Optimize(_, zorder, _)
          if zorder.nonEmpty && target.table.config.hasBuckets =>
        throw error(target, ofBuckets(zorder))
      case TableCommand.Optimize(where, zorder, packs) =>
        OptimizeCommand(target, where, zorder, packs)
      case TableCommand.AlterConstraint(_, text) => CatalystSqlParser.parsePlan(text)
      case refused: TableCommand.Refused => throw error(target, refused)
    }
  }

  private def ofBuckets(zorder: Seq[Seq[String]]) = TableCommand.Refused(
    s"ZORDER BY (${ClusterSteps.textOf(zorder)})",
    isClause = true,
    t =>
      "A bucket is one file in the order of the record key. A table without buckets can be sorted: to " +
        s"copy the rows into one, write: ${t.copy(buckets = None, hashed = Nil).copied()}"
  )

  private def checkWhole(target: CommandTarget, words: String): Unit =
    if (target.table.part.nonEmpty)
      throw error(
        target,
        TableCommand.Refused(s"$words of a part of it", isClause = true,
          _ =>
            s"Name the whole table, which is at ${target.table.basePath}."
        )
      )

  /** Whether a statement may be about something else than the table that was not found. Spark parses
    * DESCRIBE HISTORY t as column `t` of a table `history`. If there is no such table, then it is `t`
    * that the user misses. */
  private def mayBe(other: LogicalPlan): Boolean = other match {
    case DescribeColumn(relation: UnresolvedTableOrView, _, _, _) =>
      session.catalog.tableExists(relation.multipartIdentifier.mkString("."))
    case _ => true
  }

  private def error(target: CommandTarget, refused: TableCommand.Refused) = AnalysisErrors.of(
    if (refused.isClause) "HUDILITE_UNSUPPORTED_CLAUSE" else "HUDILITE_UNSUPPORTED_STATEMENT",
    (if (refused.isClause) "clause" else "statement") -> refused.words,
    "table" -> target.table.name,
    "fix" -> refused.fix(target.named(session))
  )
}
