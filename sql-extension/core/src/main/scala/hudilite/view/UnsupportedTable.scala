package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.format.WriteChecks
import hudilite.timeline.{BucketRules, SchemaHistory, TimelineFiles}

/** Errors for tables whose folders hudilite cannot interpret. */
private[view] object UnsupportedTable {

  /** Returns the name of a folder in the folder of bucket rules: consistent hashing and per-partition
    * bucket counts define there where a key is stored. Counts that hudilite has put there for stock Hudi
    * say what its own files do.
    * Source: hudi-format §6.6-6.7. */
  def bucketRules(timeline: TimelineFiles): Option[String] =
    timeline.storage
      .list(timeline.at(timeline.layout.bucketRules))
      .filter(_.isDirectory)
      .map(_.name)
      .find(name => name != BucketRules.folder || !new BucketRules(timeline).areOurs)

  /** Returns the error for a write to a table with bucket rules. */
  def ofBucketRules(timeline: TimelineFiles, rules: String): HudiliteException =
    WriteChecks.refused(
      timeline.basePath.toString,
      timeline.layout.bucketRules,
      rules,
      "Copy its rows into a new table: CREATE TABLE name (columns, PRIMARY KEY (key)) USING " +
        "hudilite WITH BUCKETS n, then INSERT INTO name SELECT the columns FROM the old table."
    )

  /** Returns the error for a write to a table whose columns have numbers. */
  def ofColumnNumbers(timeline: TimelineFiles): HudiliteException =
    WriteChecks.refused(
      timeline.basePath.toString,
      SchemaHistory.property,
      "true",
      "Write it with stock Hudi, or copy its rows into a new table: CREATE TABLE name (columns, " +
        "PRIMARY KEY (key)) USING hudilite, then INSERT INTO name SELECT the columns FROM the old table."
    )

  /** Returns the error for a folder of a bootstrapped table whose name does not fit the partition
    * path properties. */
  def ofFolder(basePath: Path, folder: String): HudiliteException = HudiliteException(
    "HUDILITE_UNSUPPORTED_TABLE",
    "path" -> basePath.toString,
    "fact" -> "partition path",
    "value" -> folder,
    "fix" -> ("The table's hive_style_partitioning and partitionpath.urlencode do not match the folders of " +
      "its source. Bootstrap it again with matching settings.")
  )

}
