package hudilite.spark.catalog

import java.util.concurrent.ConcurrentHashMap

import hudilite.format.BucketCounts
import hudilite.index.BucketSizes
import hudilite.spark.error.Warnings
import hudilite.timeline.WriteStat

/** Logs a warning when the base files of a table's buckets are too small or too large. It appears
  * once for each table and number of buckets in a JVM. */
object BucketSizeWarning {
  import BucketSizes.shown

  private val warned = ConcurrentHashMap.newKeySet[String]()

  /** @param buckets number of buckets of the table
    * @param written base files that one commit of the table wrote */
  def give(table: HudiliteTable, buckets: Int, written: Seq[WriteStat]): Unit = BucketSizes
    .advice(written.map(file => file.partitionPath -> file.fileSizeInBytes), buckets)
    .filter(_ => warned.add(s"${table.basePath} ${table.config.uuid} $buckets"))
    .foreach(advice => Warnings.say(text(table, buckets, advice)))

  private def text(table: HudiliteTable, buckets: Int, advice: BucketSizes.Advice): String = {
    val where = if (advice.partition.isEmpty) "" else s" in partition '${advice.partition}'"
    val far =
      if (advice.mean < BucketSizes.least) s"below ${shown(BucketSizes.least)}"
      else s"above ${shown(BucketSizes.most)}"
    val fix =
      if (BucketCounts.of(buckets).canBecome(advice.better))
        s"${CallText.of(table, "rescale", "buckets" -> advice.better)} changes the number."
      else s"Create a table WITH BUCKETS ${advice.better} and insert the rows of this one."
    s"Table ${table.name}: the files of its $buckets buckets have ${shown(advice.mean)} on average" +
      s"$where, $far, which makes writes slow. $fix"
  }
}
