package hudilite.spark.plan

import org.apache.spark.sql.internal.SQLConf

import hudilite.index.RangePruning

/** What a session says of the look-up of keys. Source: seed 001 (bloomIndexPruneByRanges,
  * useBloomIndexTreebasedFilter). */
object BloomSettings {

  /** `auto`, `true` or `false`: whether key ranges leave out files. */
  val PruneByRanges = "hoodie.bloom.index.prune.by.ranges"

  /** `true`: they stand in a tree; `false`: each is compared with each key; `auto`: the bounds of
    * each file are looked up among the keys. */
  val UseTree = "hoodie.bloom.index.use.treebased.filter"

  /** What filters new files get. */
  val FilterType = "hoodie.bloom.index.filter.type"

  /** Errors: HUDILITE_SETTING_INVALID. */
  def pruning(conf: SQLConf): RangePruning =
    (switch(conf, PruneByRanges), switch(conf, UseTree)) match {
      case (Some(false), _) => RangePruning.Off
      case (_, Some(false)) => RangePruning.List
      case (_, Some(true)) => RangePruning.Tree
      case (Some(true), None) => RangePruning.Sweep
      case (None, None) => RangePruning.Auto
    }

  /** How files are looked into and why so, for EXPLAIN. */
  def text(conf: SQLConf): String = {
    val ranges = pruning(conf) match {
      case RangePruning.Off => s"no key ranges ($PruneByRanges = false)"
      case RangePruning.List => s"key ranges one by one ($UseTree = false)"
      case RangePruning.Tree => s"key ranges in a tree ($UseTree = true)"
      case RangePruning.Sweep => s"key ranges ($PruneByRanges = true)"
      case RangePruning.Auto => "key ranges until they leave out too little"
    }
    s"$ranges, then bloom filters, or a join where a file has none or fewer rows than keys sought"
  }

  /** Type code of new filters, `DYNAMIC_V0` where it is not set; stock Hudi reads SIMPLE too.
    * Errors: HUDILITE_SETTING_INVALID. */
  def filterType(conf: SQLConf): String = Setting.word(conf, FilterType)

  private def switch(conf: SQLConf, key: String): Option[Boolean] =
    Setting.word(conf, key).toBooleanOption
}
