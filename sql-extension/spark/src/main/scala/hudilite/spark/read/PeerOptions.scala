package hudilite.spark.read

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.timeline.Instant

/** Options of Delta's, Iceberg's and stock Hudi's readers, writers and streams that hudilite does not
  * have, each with what to write instead. A statement after "Type:" can be run as it stands.
  *
  * Options that have an equal in hudilite are its synonyms: [[Travel]] and [[Range]] name them, and
  * `partitionOverwriteMode` and `replaceWhere` are options of an overwrite. */
private[spark] object PeerOptions {

  /** Iceberg's options of an earlier state. */
  object Travel {
    val millis = "as-of-timestamp"
    val snapshot = "snapshot-id"
  }

  /** Iceberg's options of an incremental read. */
  object Range {
    val begin = "start-snapshot-id"
    val end = "end-snapshot-id"
  }

  /** Hudi's option for the form of an incremental read. */
  val incrementalFormat = "hoodie.datasource.query.incremental.format"

  /** Returns what to write instead of an option of a read.
    * @param options all options of the read
    * @param table   name of the table in SQL */
  def ofRead(key: String, options: CaseInsensitiveStringMap, table: String): Option[String] = {
    val of = new ReadOptions(options, table)
    lower(key) match {
      case "as.of.instant" =>
        Some(of.byPath(s"SELECT * FROM $table TIMESTAMP AS OF ${of.text(key)}"))
      case Travel.millis =>
        Some(of.byPath(
          s"SELECT * FROM $table TIMESTAMP AS OF timestamp_millis(${of.number(key, "0")})"
        ))
      case Travel.snapshot =>
        Some(of.byPath(s"SELECT * FROM $table VERSION AS OF ${of.number(key, "1")}"))
      case Range.begin | Range.end =>
        Some(of.byPath(s"SELECT * FROM ${latestState(table, of)}"))
      case "branch" | "tag" =>
        Some(s"A table has no branches and no tags, and each commit is a version. ${listed(table)}")
      case key if changeFeed(key) => Some(s"Type: SELECT * FROM ${of.changes}")
      case "mergeschema" =>
        Some("Each commit stores the columns of the whole table. Remove the option.")
      case key if ofTasks(key) => Some("hudilite itself sizes the tasks of a read. Remove it.")
      case key if key.startsWith("hoodie.") =>
        Some("Remove the option: a read returns one snapshot.")
      case _ => None
    }
  }

  /** Returns what to write instead of Hudi's incremental read of changes with their kinds.
    * @param begin instant after which the changes begin
    * @param end   instant up to which they count */
  def ofChanges(begin: Option[String], end: Option[String], table: String): String = {
    val from = begin.filter(Instant.isTime).getOrElse("earliest")
    val range = (table +: from +: end.filter(Instant.isTime).toSeq).map(Literal(_).sql)
    "hudilite compares rows, and reads no stored changes. " +
      s"Type: SELECT * FROM ${range.mkString("hudilite_changes(", ", ", ")")}"
  }

  /** Sentence that says how to see the commits of a table. */
  def listed(table: String): String =
    s"Type: CALL show_timeline(table => ${Literal(table).sql})"

  /** Returns what to write instead of an option of a stream that reads a table.
    * @param start      hudilite's option for where a stream begins
    * @param maxCommits hudilite's option for the size of a batch */
  def ofStream(key: String, value: String, start: String, maxCommits: String): Option[String] =
    lower(key) match {
      case "startingversion" if lower(value) == "latest" => Some(s"Write $start = latest instead.")
      case "startingversion" | "startingtimestamp" | "stream-from-timestamp"
          if value.forall(_ == '0') =>
        Some(s"Write $start = earliest instead.")
      case "startingversion" | "startingtimestamp" | "stream-from-timestamp" =>
        Some(
          s"Write $start = earliest, latest or the instant of the last commit before that instead."
        )
      case "maxfilespertrigger" | "maxbytespertrigger" | "streaming-max-files-per-micro-batch" |
          "streaming-max-rows-per-micro-batch" =>
        Some(s"Write $maxCommits instead.")
      case "readchangefeed" | "readchangedata" =>
        Some(s"Write $incrementalFormat = cdc instead.")
      case "skipchangecommits" | "ignorechanges" | "ignoredeletes" |
          "streaming-skip-delete-snapshots" | "streaming-skip-overwrite-snapshots" =>
        Some(
          "A stream returns the rows that a commit wrote, and continues after a deletion. Remove it."
        )
      case _ => None
    }

  /** Returns what to write instead of an option of a writer.
    * @param table name of the table in SQL */
  def ofWrite(key: String, value: String, table: String): Option[String] = lower(key) match {
    case "overwriteschema" =>
      Some(
        "An overwrite keeps the columns of the table. Change them with ALTER TABLE, or write the " +
          "rows to a new table with saveAsTable."
      )
    case "replacewhere" | "partitionoverwritemode" =>
      Some("It is an option of mode('overwrite'). Remove it.")
    case "usermetadata" | "snapshot-property" =>
      Some("A commit has no note; a savepoint of it has one. " +
        s"Type: CALL savepoint(table => ${Literal(table).sql}, comment => ${Literal(value).sql})")
    case key if key.startsWith("snapshot-property.") =>
      ofWrite("snapshot-property", value, table)
    case "txnappid" | "txnversion" =>
      Some(
        "Nothing counts the writes of an application. A write that replaces rows by their key can " +
          "be run again: write .option('hoodie.datasource.write.operation', 'upsert') instead."
      )
    case "target-file-size-bytes" =>
      Some("A table without buckets has the property hoodie.parquet.max.file.size for it. " +
        s"Type: ALTER TABLE $table SET TBLPROPERTIES ('hoodie.parquet.max.file.size' = '$value')")
    case other => ofNewTable(other)
  }

  /** Returns what to write instead of an option of a writer that creates a table. */
  def ofNewTable(key: String): Option[String] = lower(key) match {
    case "overwriteschema" | "replacewhere" | "partitionoverwritemode" =>
      Some("A new table has no rows to replace. Remove it.")
    case "fanout-enabled" | "distribution-mode" | "use-table-distribution-and-ordering" |
        "check-ordering" =>
      Some("hudilite itself brings the rows of a file together before it writes them. Remove it.")
    case "optimizewrite" | "autocompact" =>
      Some("A write fills small files, or has one file for each bucket. Remove it.")
    case "write-format" | "check-nullability" | "isolation-level" | "validate-from-snapshot-id" |
        "delete-granularity" | "compression-codec" | "compression-level" | "datachange" =>
      Some("It has no effect on a table of hudilite. Remove it.")
    case _ => None
  }

  /** Returns the project whose tables a table property has an effect on; None for a property of the
    * user's own. */
  def projectOf(property: String): Option[String] = lower(property) match {
    case name if name.startsWith("delta.") => Some("Delta")
    case "format-version" => Some("Iceberg")
    case name if ofIceberg.exists(name.startsWith) => Some("Iceberg")
    case _ => None
  }

  private val ofIceberg = Seq("write.", "read.", "commit.", "history.expire.", "gc.enabled")

  private val changeFeed = Set("readchangefeed", "readchangedata", "startingversion",
    "endingversion", "startingtimestamp", "endingtimestamp", "start-timestamp", "end-timestamp")

  private val ofTasks = Set("split-size", "lookback", "file-open-cost", "vectorization-enabled",
    "batch-size", "locality", "aggregate-push-down-enabled")

  private def latestState(table: String, of: ReadOptions): String = {
    val begin = of.digits(Range.begin).getOrElse("earliest")
    val arguments = Seq(table, "latest_state", begin) ++ of.digits(Range.end)
    arguments.map(Literal(_).sql).mkString("hudi_table_changes(", ", ", ")")
  }

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)
}

/** Values of a read's options, as texts of a statement. */
final private class ReadOptions(options: CaseInsensitiveStringMap, table: String) {

  /** Sentences for an option that works with a path only. */
  def byPath(statement: String): String = s"It works with load(path). Type: $statement"

  def text(key: String): String = Literal(value(key).getOrElse("")).sql

  def number(key: String, other: String): String = digits(key).getOrElse(other)

  def digits(key: String): Option[String] =
    value(key).filter(text => text.nonEmpty && text.length < longest && text.forall(_.isDigit))

  /** Call of the table function with the changes of the range that the options name. */
  def changes: String = {
    val (from, to) = (digits("startingVersion").getOrElse("0"), digits("endingVersion"))
    val range = (Literal(table).sql +: from +: to.toSeq).mkString("table_changes(", ", ", ")")
    val times = Seq(">=" -> Seq("startingTimestamp", "start-timestamp"),
      "<=" -> Seq("endingTimestamp", "end-timestamp"))
    val conditions = times.flatMap { case (sign, keys) =>
      keys.find(value(_).nonEmpty).map(key => s"_commit_timestamp $sign ${text(key)}")
    }
    if (conditions.isEmpty) range else s"$range WHERE ${conditions.mkString(" AND ")}"
  }

  private def value(key: String): Option[String] = Option(options.get(key)).map(_.trim)

  private val longest = 18
}
