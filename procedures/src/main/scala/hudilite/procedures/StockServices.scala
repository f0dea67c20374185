package hudilite.procedures

import java.util.Locale

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.types.{BooleanType, IntegerType, LongType, StructType}

import hudilite.commit.Committed
import hudilite.format.BaseFileName
import hudilite.procedures.StockArgument._
import hudilite.procedures.StockProcedure.{Answer, Call}
import hudilite.service.{Retention, Savepoints}
import hudilite.spark.catalog.CallText
import hudilite.spark.meta.{MetadataRows, StockRows}

/** Procedures of stock Hudi that change a table, each by hudilite's own procedure. */
private[procedures] object StockServices {

  def all(catalog: TableCatalog): Seq[Procedure] = Seq(
    new StockProcedure(
      catalog,
      "create_savepoint",
      "Protects the files of a version of a table from being cleaned, as savepoint does.",
      "CALL create_savepoint(table => 'db.t', comments => 'before the move')",
      Seq(
        table,
        optional("commit_time", "instant of the version; by default the latest", value = "''"),
        optional("user", "who requests the savepoint; by default the user of the session",
          value = "''"),
        optional("comments", "comment that is stored in the savepoint", value = "''"),
        path
      )
    )(createSavepoint),
    new StockProcedure(
      catalog,
      "rollback_to_savepoint",
      "Undoes all commits of a table after a savepoint, as restore does.",
      "CALL rollback_to_savepoint(table => 'db.t')",
      Seq(
        table,
        optional("instant_time", "instant of the savepoint; by default the latest", value = "''"),
        path
      )
    )(rollbackToSavepoint),
    new StockProcedure(
      catalog,
      "rollback_to_instant",
      "Rolls back a write that was never committed, as rollback does.",
      "CALL rollback_to_instant(table => 'db.t', instant_time => '20261121093000000')",
      Seq(onlyTable, needed("instant_time", "instant of the write"))
    )(rollbackToInstant),
    new StockProcedure(
      catalog,
      "run_clean",
      "Deletes old base and log files, as clean does.",
      "CALL run_clean(table => 'db.t', retain_commits => 20)",
      Seq(
        onlyTable,
        refused("schedule_in_line", "hudilite plans and runs a clean in one call: leave it out.",
          BooleanType, "true"),
        optional("clean_policy", s"$byCommits or $byHours", value = s"'$byCommits'"),
        optional("retain_commits",
          s"$byCommits: number of latest commits whose files are kept; by default ${Retention.commits}",
          IntegerType),
        optional("hours_retained", s"$byHours: hours for which all files are kept", IntegerType),
        refused("file_versions_retained", s"Write clean_policy => '$byCommits'.", IntegerType),
        refused("trigger_strategy", "The call cleans at once: leave it out."),
        refused("trigger_max_commits", "The call cleans at once: leave it out.", IntegerType),
        refused("options", "Write the arguments of CALL clean instead.")
      )
    )(runClean),
    new StockProcedure(
      catalog,
      "run_compaction",
      "Merges the log files of a merge-on-read table into its base files, as compact does.",
      "CALL run_compaction(op => 'run', table => 'db.t')",
      Seq(
        needed("op", "run or scheduleandexecute, which mean the same"),
        table,
        path,
        refused("timestamp", noPlans, LongType),
        refused("options", "Write the arguments of CALL compact instead."),
        refused("instants", noPlans),
        refused("limit", "One call compacts all file groups: leave it out.", IntegerType)
      )
    )(runCompaction)
  )

  private val byCommits = "KEEP_LATEST_COMMITS"
  private val byHours = "KEEP_LATEST_BY_HOURS"
  private def noPlans = "hudilite plans and runs a compaction in one call: leave it out."

  private def createSavepoint(call: Call): Answer = {
    val by = call.text("user").getOrElse(SavePoint.user)
    SavePoint.create(
      call.arguments,
      call.arguments.writable(call.tableName),
      call.text("commit_time"),
      call.text("comments").getOrElse(""),
      by
    ): Unit
    success("create_savepoint_result")
  }

  private def rollbackToSavepoint(call: Call): Answer = {
    val saved = new Savepoints(call.table.timeline).instants()
    val fix =
      if (saved.isEmpty) "The table has no savepoint."
      else s"Its savepoints are ${saved.mkString(", ")}."
    val asked = call.text("instant_time").orElse(saved.lastOption)
    val instant = asked.filter(saved.contains).getOrElse(
      throw call.arguments.invalid("instant_time", asked.getOrElse(""), fix)
    )
    call.run(new RestoreTable(call.catalog), "table" -> call.tableName, "instant" -> instant): Unit
    success("rollback_savepoint_result")
  }

  /** Rolls back a pending write. For a commit, stock Hudi's procedure undoes the commit that it names,
    * and hudilite's restore keeps the one that it names: so that nobody loses one commit more than meant,
    * the error says which call undoes it. */
  private def rollbackToInstant(call: Call): Answer = {
    val instant = call.arguments.text(call.ordinal("instant_time"), "instant_time",
      "Write an instant that CALL show_timeline shows.").trim
    val steps = Committed.steps(call.table.timeline)
    steps.indexWhere(_.contains(instant)) match {
      case -1 =>
        call.run(new RollbackWrite(call.catalog), "table" -> call.tableName,
          "instant" -> instant): Unit
        success("rollback_result")
      case 0 =>
        throw call.arguments.invalid(
          "instant_time",
          instant,
          "It is the first commit of the timeline, and no call undoes it. " +
            s"To delete all rows, type: DELETE FROM ${call.table.name}"
        )
      case place =>
        val kept = new CallText(call.catalog.name).of("restore", "table" -> call.tableName,
          "instant" -> steps(place - 1).last)
        throw call.arguments.invalid("instant_time", instant,
          s"It is committed. To undo this commit and all later ones, type: $kept")
    }
  }

  private def runClean(call: Call): Answer = {
    val done =
      call.run(new Clean(call.catalog), ("table" -> call.tableName) +: retained(call): _*).rows.head
    val cleans = call.rows(StockRows.cleans)
    val columns = Seq("start_clean_time", "time_taken_in_millis", "total_files_deleted",
      "earliest_commit_to_retain", "version").map(cleans.schema.fieldIndex)
    val own = cleans.rows.filter(row => !done.isNullAt(0) && row.getString(0) == done.getString(0))
    Answer(
      StructType(columns.map(cleans.schema(_))),
      own.map(row => MetadataRows.row(columns.map(i => row.get(i, cleans.schema(i).dataType)): _*))
    )
  }

  /** Returns the arguments of `clean` that mean a policy of stock Hudi. */
  private def retained(call: Call): Seq[(String, Any)] = {
    val (commits, hours) = ("retain_commits", "hours_retained")
    def number(argument: String, least: Int) =
      call.arguments.number(call.ordinal(argument), argument, least)
    def checkNone(argument: String, policy: String): Unit =
      call.number(argument).foreach { value =>
        throw call.arguments.invalid(argument, value.toString,
          s"Write clean_policy => '$policy' too, or leave it out.")
      }
    val policies = Seq(byCommits, byHours)
    if (
      call.arguments.choice(call.ordinal("clean_policy"), "clean_policy", policies) == byCommits
    ) {
      checkNone(hours, byHours)
      call.number(commits).map(_ => commits -> number(commits, 1)).toSeq
    } else {
      checkNone(commits, byCommits)
      val values = Seq("retain_commits" -> 1, "retain_hours" -> number(hours, 0))
      if (number(hours, 0) < Retention.leastHours) {
        val all = ("table" -> call.tableName) +: values :+ ("allow_short_retention" -> true)
        throw call.arguments.invalid(
          hours,
          number(hours, 0).toString,
          s"Write a number that is at least ${Retention.leastHours}. If no query is running that " +
            s"began earlier, type: ${new CallText(call.catalog.name).of("clean", all: _*)}"
        )
      }
      values
    }
  }

  private def runCompaction(call: Call): Answer = {
    val op = call.arguments.text(call.ordinal("op"), "op", "Write run.")
    if (!Seq("run", "scheduleandexecute").contains(op.trim.toLowerCase(Locale.ROOT))) {
      val own = new CallText(call.catalog.name).of("compact", "table" -> call.tableName)
      throw call.arguments.invalid("op", op,
        s"hudilite plans and runs a compaction in one call. Type: $own")
    }
    val open = () => call.arguments.writable(call.tableName)
    val done = Compact.run(call.arguments, SparkSession.active, open, None, 1)
    val instants = done.flatMap(_._1.fileName).flatMap(BaseFileName.parse(_)).map(_.instant)
    val rows = instants.distinct.map { instant =>
      MetadataRows.row(instant, instants.count(_ == instant), "COMPLETED")
    }
    Answer(StockRows.compactions.schema, rows)
  }

  private def success(column: String) =
    Answer(new StructType().add(column, BooleanType), Seq(MetadataRows.row(true)))
}
