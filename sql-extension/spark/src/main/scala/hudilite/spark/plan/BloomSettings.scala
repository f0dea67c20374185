package hudilite.spark.plan

import java.util.Locale

import org.apache.spark.sql.internal.SQLConf

import hudilite.index.{BloomFilter, RangePruning}

/** What a session says of the look-up of keys. Source: seed 001 (bloomIndexPruneByRanges,
  * useBloomIndexTreebasedFilter). */
object BloomSettings {

  /** `auto`, `true` or `false`: whether key ranges leave out files. */
  val PruneByRanges = "hoodie.bloom.index.prune.by.ranges"

  /** `auto`, `true` or `false`: whether they stand in a tree, or each is compared. */
  val UseTree = "hoodie.bloom.index.use.treebased.filter"

  /** What filters new files get. */
  val FilterType = "hoodie.bloom.index.filter.type"

  /** None where both are left open.
    * Errors: HUDILITE_SETTING_INVALID. */
  def pruning(conf: SQLConf): Option[RangePruning] =
    (switch(conf, PruneByRanges), switch(conf, UseTree)) match {
      case (Some(false), _) => Some(RangePruning.Off)
      case (_, Some(false)) => Some(RangePruning.List)
      case (None, _) => None
      case (Some(true), _) => Some(RangePruning.Tree)
    }

  /** Type code of new filters, `DYNAMIC_V0` where it is not set; stock Hudi reads SIMPLE too.
    * Errors: HUDILITE_SETTING_INVALID. */
  def filterType(conf: SQLConf): String = {
    val known = Seq(BloomFilter.Dynamic, BloomFilter.Simple)
    val asked = conf.getConfString(FilterType, BloomFilter.Dynamic).trim
    known.find(_.equalsIgnoreCase(asked)).getOrElse(
      throw Setting.invalid(FilterType, asked, known.mkString(", "))
    )
  }

  private def switch(conf: SQLConf, key: String): Option[Boolean] =
    conf.getConfString(key, "auto").trim.toLowerCase(Locale.ROOT) match {
      case "auto" => None
      case "true" => Some(true)
      case "false" => Some(false)
      case other =>
        throw Setting.invalid(key, other, "auto, true, false")
    }
}
