package hudilite.procedures

import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DateType, StringType, TimestampNTZType, TimestampType}

import hudilite.procedures.Elsewhere.Asked
import hudilite.service.Retention
import hudilite.spark.catalog.CallText.literal
import hudilite.spark.catalog.{HudiliteTable, TimeTravel}
import hudilite.timeline.Instant
import hudilite.view.TableSnapshot

/** Names of Iceberg's procedures, and what to type instead.
  * Source: Iceberg's Spark procedures. */
private[procedures] object IcebergNames {
  private val table = Seq("table")

  /** Name of each procedure, names of its arguments, and what to do instead. */
  def all: Seq[(String, Seq[String], Asked => String)] = Seq(
    ("add_files", Seq("table", "source_table", "partition_filter"),
      asked => {
        val filter = asked("partition_filter").fold("")(_ => " WHERE ...")
        s"Type: INSERT INTO ${asked.table} SELECT * FROM ${asked("source_table").getOrElse("source")}" +
          filter
      }),
    ("ancestors_of", table, _.onTable("show_commits")),
    ("cherrypick_snapshot", table, noBranches),
    ("compute_partition_stats", table, noStatistics),
    ("compute_table_stats", table, noStatistics),
    ("create_changelog_view", Seq("table", "changelog_view", "options"),
      asked => {
        val last = asked.table.split('.').last.replace("`", "")
        val view = asked("changelog_view").getOrElse(s"`${last}_changes`")
        s"Type: CREATE OR REPLACE TEMPORARY VIEW $view AS " +
          s"SELECT * FROM hudilite_changes(${literal(asked.table)}, 'earliest')"
      }),
    ("expire_snapshots", Seq("table", "older_than", "retain_last"),
      asked => {
        val hours = hoursSince(asked, "older_than")
        val commits = asked("retain_last").fold(Option(1L))(_.toLongOption)
        if (asked("snapshot_ids").nonEmpty) list(asked)
        else if (hours.contains(None) || commits.isEmpty) help("clean")
        else
          asked.onTable(
            "clean",
            commits.map("retain_commits" -> _).toSeq ++
              hours.flatten.map("retain_hours" -> _.max(Retention.leastHours.toLong)): _*
          )
      }),
    ("fast_forward", table, noBranches),
    ("migrate", table, _ => bootstrap),
    ("publish_changes", table, noBranches),
    ("register_table", Seq("table", "metadata_file"),
      _ =>
        "Type CREATE TABLE name USING hudilite LOCATION with the folder of the table."),
    ("remove_orphan_files", Seq("table", "older_than", "location", "dry_run"),
      asked => {
        val hours = hoursSince(asked, "older_than")
        val lists = asked("dry_run").contains("true") || asked("location").nonEmpty
        if (hours.contains(None)) help("remove_orphans")
        else
          asked.onTable(
            "remove_orphans",
            hours.flatten.map("older_than_hours" -> _.max(1L)).toSeq :+ ("dry_run" -> lists): _*
          )
      }),
    ("rewrite_data_files", Seq("table", "strategy", "sort_order", "options", "where"),
      rewritten),
    ("rewrite_manifests", table, _ => "hudilite has no manifests: leave the call out."),
    ("rewrite_position_delete_files", table, asked => compact(asked)),
    ("rewrite_table_path", table,
      _ =>
        "Copy the folder of the table, and type CREATE TABLE name USING hudilite LOCATION with the copy."),
    ("rollback_to_snapshot", Seq("table", "snapshot_id"), asked => restore(asked)),
    ("rollback_to_timestamp", Seq("table", "timestamp"),
      asked => {
        val instant = asked.literal("timestamp").flatMap(microsOf).flatMap(at(asked.opened, _))
        instant.fold(list(asked))(kept => asked.onTable("restore", "instant" -> kept))
      }),
    ("set_current_snapshot", Seq("table", "snapshot_id", "ref"), asked => restore(asked)),
    ("snapshot", Seq("source_table", "table"), _ => bootstrap)
  )

  private def noBranches(asked: Asked) =
    s"hudilite has no branches. To see the commits of the table: ${asked.onTable("show_commits")}"

  private def noStatistics(asked: Asked) =
    s"hudilite reads the statistics of the data files of ${asked.table}: leave the call out."

  private def bootstrap =
    s"CALL bootstrap creates a table over Parquet files; it needs the key columns. ${help("bootstrap")}"

  /** Clustering if an order is given, else OPTIMIZE. */
  private def rewritten(asked: Asked) =
    asked("sort_order").filterNot(_ => asked.opened.config.hasBuckets).fold(optimize(asked)) {
      order =>
        val sorted = order match {
          case zorder(columns) => "zorder" -> columns
          case columns =>
            "order_by" -> columns.split(',').map(_.trim.takeWhile(_ != ' ')).mkString(",")
        }
        asked.onTable("cluster", sorted +: asked("where").map("partitions" -> _).toSeq: _*)
    }

  private val zorder = "(?i)\\s*zorder\\s*\\((.*)\\)\\s*".r

  private def optimize(asked: Asked) = {
    asked.opened: Unit
    s"Type: OPTIMIZE ${asked.table}${asked("where").map(" WHERE " + _).mkString}"
  }

  /** Compaction, which only merge-on-read tables need. */
  private def compact(asked: Asked) =
    if (asked.opened.config.isMergeOnRead)
      asked.onTable("compact", asked("where").map("where" -> _).toSeq: _*)
    else
      "A copy-on-write table has no log files: leave the call out."

  private def restore(asked: Asked) =
    asked("snapshot_id").filter(Instant.isTime)
      .fold(list(asked))(instant => asked.onTable("restore", "instant" -> instant))

  private def list(asked: Asked) =
    s"A version of a table is the instant of a commit. ${asked.onTable("show_commits")}"

  /** Returns the last commit of the state at a time. */
  private def at(table: HudiliteTable, micros: Long): Option[String] = {
    val asOf = Some(TimeTravel.Timestamp(micros)(table.name, table.config))
    TableSnapshot.load(table.timeline, table.config, asOf).lastVersion
  }

  /** Returns the hours since a time that an argument gives. None if the argument is not given, Some(None)
    * if it is no time. */
  private def hoursSince(asked: Asked, argument: String): Option[Option[Long]] =
    asked.literal(argument).map(microsOf(_).map { micros =>
      val millis = System.currentTimeMillis() - micros / microsPerMilli
      (millis + millisPerHour - 1) / millisPerHour
    })

  /** Returns the microseconds of a time, a date or the text of one; None for another value. */
  private def microsOf(value: Literal): Option[Long] = {
    val zone = Some(SQLConf.get.sessionLocalTimeZone)
    val isTime = value.dataType match {
      case TimestampType | TimestampNTZType | DateType | _: StringType => true
      case _ => false
    }
    val found =
      if (isTime) Option(Cast(value, TimestampType, zone, EvalMode.TRY).eval()) else None
    found.collect { case micros: Long => micros }
  }

  private def help(procedure: String) = s"Type: CALL help(procedure => '$procedure')"

  private val microsPerMilli = 1000L
  private val millisPerHour = 3600000L
}
