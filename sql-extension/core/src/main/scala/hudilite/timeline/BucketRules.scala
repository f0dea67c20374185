package hudilite.timeline

import java.nio.charset.StandardCharsets.UTF_8

import hudilite.error.HudiliteException
import hudilite.io.Storage

/** Rules for the numbers of buckets of single partitions, as stock Hudi's data source from 1.1 on reads
  * them before it writes to a table with buckets: the newest file counts. While a table is rescaled,
  * hudilite puts a rule there with which stock Hudi reads the table, but writes none of it: it refuses
  * the number 0 before its write has an instant. Runs on the driver.
  * Source: decision 0027. */
private[hudilite] final class BucketRules(files: TimelineFiles) {
  import BucketRules._

  private val storage = files.storage
  private val root = files.at(s"${files.layout.bucketRules}/$folder")
  private val configs = Storage.resolve(root, "configs")

  /** Whether no rule counts but one that hudilite has put there. While it puts the rule there or removes
    * it, and if it dies meanwhile, others see a folder without a rule, or a rule that is gone. */
  def areOurs: Boolean = names.maxOption.map(Storage.resolve(configs, _)).forall { path =>
    try Json.text(Json.parse(storage.read(path), path), "writer").contains(writer)
    catch { case e: HudiliteException if e.condition == "HUDILITE_MISSING_FILE" => true }
  }

  /** Puts the rule there, unless there is one. */
  def refuse(): Unit =
    if (names.isEmpty) storage.createNew(Storage.resolve(configs, name), rule.getBytes(UTF_8)): Unit

  /** Removes all rules. */
  def remove(): Unit = storage.deleteTree(root): Unit

  private def names: Seq[String] = storage.names(configs).filter(_.endsWith(suffix))
}

private[hudilite] object BucketRules {

  /** Name of the folder of the rules, in that of all rules for buckets. */
  val folder = "partition_bucket_index_meta"

  private val suffix = ".hashing_config"
  private val writer = "hudilite"

  /** Instant before all others, so that the rule counts for queries of each earlier state, too. */
  private val first = "00000000000000"
  private val name = first + suffix

  private def rule: String = Json.pretty(
    Json.newObject()
      .put("expressions", "^,0")
      .put("defaultBucketNumber", 0)
      .put("rule", "regex")
      .put("version", 1)
      .put("instant", first)
      .put("writer", writer)
  )
}
