package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.timeline.TimelineFiles

/** Errors for tables whose folders hudilite cannot interpret. */
private[view] object UnsupportedTable {

  /** Fails if the folder of bucket rules has a folder: consistent hashing and per-partition bucket
    * counts define there where a key is stored.
    * Errors: HUDILITE_UNSUPPORTED_TABLE.
    * Source: hudi-format §6.6-6.7. */
  def checkBucketRules(timeline: TimelineFiles): Unit =
    timeline.storage
      .list(timeline.at(timeline.layout.bucketRules))
      .find(_.isDirectory)
      .foreach { rules =>
        throw of(
          timeline.basePath,
          timeline.layout.bucketRules,
          rules.name,
          "Create a new table WITH BUCKETS n and insert this one's rows with stock Hudi's " +
            "CALL copy_to_table(...)."
        )
      }

  /** Returns the error for a folder of a bootstrapped table whose name does not fit the partition
    * path properties. */
  def ofFolder(basePath: Path, folder: String): HudiliteException = of(
    basePath,
    "partition path",
    folder,
    "The table's hive_style_partitioning and partitionpath.urlencode do not match the folders of " +
      "its source. Bootstrap it again with matching settings."
  )

  private def of(basePath: Path, fact: String, value: String, fix: String) = HudiliteException(
    "HUDILITE_UNSUPPORTED_TABLE",
    "path" -> basePath.toString,
    "fact" -> fact,
    "value" -> value,
    "fix" -> fix
  )
}
