package hudilite.procedures

import java.util.Locale

import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.TableCatalog

import hudilite.format.PartitionPath
import hudilite.procedures.Elsewhere.Asked
import hudilite.spark.catalog.CallText.literal

/** Names of stock Hudi's procedures that hudilite does not have, and what to type instead.
  * Source: Hudi's SQL procedures. */
private[procedures] object OtherNames {
  private type Entry = (String, Seq[String], Asked => String)

  def all(catalog: TableCatalog): Seq[Elsewhere] =
    (hudi ++ IcebergNames.all).map { case (name, arguments, fix) =>
      new Elsewhere(catalog, name, arguments, fix)
    }

  private val table = Seq("table")
  private val placed = Seq("table", "path")

  private def hudi: Seq[Entry] = commits ++ files ++ repairs ++ copies ++ metadata ++ locks

  private def commits: Seq[Entry] = Seq(
    ("commits_compare", placed, select("history")),
    ("export_instants", table, select("history")),
    ("run_clustering",
      placed ++ Seq("predicate", "order", "show_involved_partition", "op", "order_strategy"),
      clustering),
    ("run_rollback_inflight_tableservice", placed :+ "pending_instant",
      asked => rollback(asked, "pending_instant")),
    ("run_ttl", table, _ => "Delete old partitions with ALTER TABLE ... DROP PARTITION."),
    ("delete_marker", table :+ "instant_time", asked => rollback(asked, "instant_time")),
    ("show_archived_commits", table, activeOnly(_, "show_commits")),
    ("show_archived_commits_metadata", table, activeOnly(_, "show_commits_metadata")),
    ("show_clean", table, _.onTable("show_cleans")),
    ("show_clean_plans", table, _.onTable("show_cleans")),
    ("show_cleans_metadata", table, _.onTable("show_cleans")),
    ("show_clustering", placed, select("history", end = " WHERE operation = 'CLUSTER'")),
    ("show_rollback_detail", table, _.onTable("show_rollbacks")),
    ("stats_wa", table,
      select("history", "instant, rows_inserted + rows_updated AS rows_upserted, rows_written"))
  )

  private def files: Seq[Entry] = Seq(
    ("show_bootstrap_partitions", placed,
      select("bootstrap", "DISTINCT partition")),
    ("show_file_status", placed ++ Seq("partition", "file"),
      asked => {
        val of = asked("file").fold("")(file => s" WHERE path LIKE ${literal(s"%$file")}")
        select("files", end = of)(asked)
      }),
    ("show_fs_path_detail", Seq("path"), _.onTable("show_files")),
    ("show_fsview_all", placed, view),
    ("show_fsview_latest", placed, view),
    ("show_invalid_parquet", Seq("path"),
      asked =>
        asked.call("verify", "table" -> asked("path").getOrElse(asked.table), "level" -> "files")),
    ("show_logfile_metadata", placed, select("files")),
    ("show_logfile_records", placed, asked => s"Type: SELECT * FROM ${asked.table}"),
    ("stats_file_sizes", table,
      select("files",
        "instant, count(*) AS num_files, min(bytes), avg(bytes), max(bytes), " +
          "percentile(bytes, 0.5)",
        " GROUP BY instant"))
  )

  private def repairs: Seq[Entry] = Seq(
    ("partition_bucket_index_manager", table,
      asked =>
        asked.literal("bucket_number").fold(
          "Call rescale(table, buckets): its number of buckets is a multiple or a divisor of " +
            "the present one, and counts for all partitions."
        )(number => asked.onTable("rescale", "buckets" -> number))),
    ("repair_add_partition_meta", table, _.onTable("verify")),
    ("repair_corrupted_clean_files", table, _.onTable("verify", "level" -> "meta")),
    ("repair_deduplicate", table,
      asked =>
        if (asked.opened.config.hasBuckets) asked.onTable("verify", "level" -> "rows")
        else asked.onTable("rebuild_index", "level" -> "rows")),
    ("repair_migrate_partition_meta", table, _.onTable("verify")),
    ("repair_overwrite_hoodie_props", table, _.onTable("show_table_properties")),
    ("sync_validate", Seq("src_table", "dst_table"), validate),
    ("validate_hoodie_sync", Seq("src_table", "dst_table"), validate)
  )

  private def copies: Seq[Entry] = Seq(
    ("copy_to_table",
      Seq("table", "query_type", "new_table", "begin_instance_time",
        "end_instance_time", "as_of_instant", "save_mode", "columns"),
      asked => {
        val target = asked("new_table").getOrElse("db.copy")
        val verb = asked("save_mode").map(_.toLowerCase(Locale.ROOT)) match {
          case Some("append") => s"INSERT INTO $target"
          case Some("overwrite") => s"INSERT OVERWRITE $target"
          case _ => s"CREATE TABLE $target AS"
        }
        s"Type: $verb ${selected(asked)}"
      }),
    ("copy_to_temp_view",
      Seq("table", "query_type", "view_name", "begin_instance_time",
        "end_instance_time", "as_of_instant", "replace", "global"),
      asked => {
        def word(name: String, text: String) = if (asked(name).contains("true")) text else ""
        s"Type: CREATE ${word("replace", "OR REPLACE ")}${word("global", "GLOBAL ")}TEMPORARY VIEW " +
          s"${asked("view_name").getOrElse("copy")} AS ${selected(asked)}"
      }),
    ("drop_partition", table :+ "partition",
      asked => dropped(asked, asked("partition").getOrElse(""))),
    ("hdfs_parquet_import",
      Seq("table", "table_type", "src_path", "target_path", "row_key", "partition_key"),
      asked => {
        val isMergeOnRead = asked("table_type").exists(_.equalsIgnoreCase("MERGE_ON_READ"))
        val of = Seq("source" -> "src_path", "key" -> "row_key", "location" -> "target_path",
          "partitioned_by" -> "partition_key")
          .flatMap { case (name, theirs) => asked(theirs).map(name -> _) } ++
          Option.when(isMergeOnRead)("type" -> "mor")
        asked.onTable("bootstrap", of :+ ("mode" -> "full"): _*)
      }),
    ("truncate_table", table :+ "partitions",
      asked =>
        asked("partitions").fold(s"Type: TRUNCATE TABLE ${asked.table}")(dropped(asked, _)))
  )

  private def metadata: Seq[Entry] = Seq(
    "create_metadata_table",
    "init_metadata_table",
    "show_metadata_column_stats_overlap",
    "show_metadata_table_column_stats",
    "show_metadata_table_files",
    "show_metadata_table_partitions",
    "show_metadata_table_stats"
  ).map(name => (name, placed, (asked: Asked) => asked.onTable("metadata_table"))) ++ Seq[Entry](
    ("delete_metadata_table", table, _.onTable("metadata_table", "action" -> "detach")),
    ("validate_metadata_table_files", table, _.onTable("verify"))
  )

  private def locks: Seq[Entry] =
    Seq("cleanup_audit_lock", "set_audit_lock", "show_audit_lock_status", "validate_audit_lock")
      .map(name => (name, placed, (_: Asked) => "hudilite has no audit lock: leave the call out."))

  private def clustering(asked: Asked) = asked("order") match {
    case None => "Type: CALL help(procedure => 'cluster')"
    case Some(_) if asked.opened.config.hasBuckets =>
      "A bucket is one file in the order of the record key: leave the call out."
    case Some(columns) =>
      val isLinear = asked("order_strategy").forall(_.equalsIgnoreCase("linear"))
      val by = (if (isLinear) "order_by" else "zorder") -> columns
      asked.onTable("cluster", by +: asked("predicate").map("partitions" -> _).toSeq: _*)
  }

  private def activeOnly(asked: Asked, instead: String) =
    s"hudilite shows the active timeline alone. ${asked.onTable(instead)}"

  private def rollback(asked: Asked, instant: String) =
    asked(instant).fold(asked.onTable("show_timeline"))(of =>
      asked.onTable("rollback", "instant" -> of)
    )

  /** A query of a metadata table, or the procedure with its rows for a table by path, which has none.
    * @param end clauses after FROM */
  private def select(list: String, columns: String = "*", end: String = "")(asked: Asked) =
    if (!asked.isByPath) s"Type: SELECT $columns FROM ${asked.table}.$list$end"
    else asked.onTable(procedures(list))

  private val procedures = Map(
    "files" -> "show_files",
    "history" -> "show_timeline",
    "bootstrap" -> "show_bootstrap_mapping"
  )

  /** Drops one partition.
    * @param text path of a partition with the names of its columns */
  private def dropped(asked: Asked, text: String) = {
    val columns = text.split('/').toSeq.map(_.takeWhile(_ != '='))
    PartitionPath.decode(text, columns, hiveStyle = true, urlEncode = true) match {
      case Some(values) if values.forall(_.nonEmpty) && !text.contains(',') =>
        val spec = columns.zip(values.flatten).map { case (column, value) =>
          s"${quoteIfNeeded(column)} = ${literal(value)}"
        }
        s"Type: ALTER TABLE ${asked.table} DROP PARTITION (${spec.mkString(", ")})"
      case _ => "Type ALTER TABLE ... DROP PARTITION with the values of each partition."
    }
  }

  private def view(asked: Asked) =
    s"Type: SELECT * FROM hudi_filesystem_view(${literal(asked.table)})"

  private def validate(asked: Asked) =
    asked.call("hive_sync", "table" -> asked("src_table").getOrElse(asked.table), "dry_run" -> true)

  /** Returns the query whose rows a copy has. */
  private def selected(asked: Asked) = {
    val columns = asked("columns").getOrElse("*")
    val from =
      if (asked("query_type").exists(_.equalsIgnoreCase("incremental"))) {
        val range = asked("begin_instance_time").getOrElse("earliest") +:
          asked("end_instance_time").toSeq
        val all = (Seq(asked.table, "latest_state") ++ range).map(literal).mkString(", ")
        s"hudi_table_changes($all)"
      } else
        asked.table +
          asked("as_of_instant").fold("")(instant => s" VERSION AS OF ${literal(instant)}")
    s"SELECT $columns FROM $from"
  }
}
