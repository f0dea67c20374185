package hudilite.spark.catalog

import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.fs.Path

import hudilite.format.{IndexKind, TableConfig}
import hudilite.index.BucketSizes
import hudilite.spark.error.Warnings
import hudilite.timeline.WriteStat

/** Logs a warning when the base files of a table's buckets are too small or too large. It appears
  * once for each table in a JVM, because only a new table can have another bucket count. */
object BucketSizeWarning {
  import BucketSizes.shown

  private val warned = ConcurrentHashMap.newKeySet[String]()

  /** @param name    table name in the warning
    * @param written base files that one commit of the table wrote */
  def give(name: String, basePath: Path, config: TableConfig, written: Seq[WriteStat]): Unit =
    config.index match {
      case IndexKind.Bucket(buckets, _) =>
        BucketSizes
          .advice(written.map(file => file.partitionPath -> file.fileSizeInBytes), buckets)
          .filter(_ => warned.add(s"$basePath ${config.uuid}"))
          .foreach(advice => Warnings.say(text(name, buckets, advice)))
      case IndexKind.Bloom => ()
    }

  private def text(name: String, buckets: Int, advice: BucketSizes.Advice): String = {
    val where = if (advice.partition.isEmpty) "" else s" in partition '${advice.partition}'"
    val far =
      if (advice.mean < BucketSizes.least) s"below ${shown(BucketSizes.least)}"
      else s"above ${shown(BucketSizes.most)}"
    s"Table $name: the files of its $buckets buckets have ${shown(advice.mean)} on average" +
      s"$where, $far, which makes writes slow. Create a table WITH BUCKETS ${advice.better} " +
      "and insert the rows of this one."
  }
}
