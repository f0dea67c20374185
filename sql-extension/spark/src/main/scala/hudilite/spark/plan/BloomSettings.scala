package hudilite.spark.plan

import org.apache.spark.sql.internal.SQLConf

import hudilite.index.RangePruning

/** Session settings for the look-up of keys in tables without buckets. Source: seed 001
  * (bloomIndexPruneByRanges, useBloomIndexTreebasedFilter). */
object BloomSettings {

  /** `true` or `false`: whether files are skipped by their key ranges; `auto`: until ranges skip
    * too few files. */
  val PruneByRanges = "hoodie.bloom.index.prune.by.ranges"

  /** `true`: key ranges are kept in a tree; `false`: each range is compared with each key; `auto`:
    * the bounds of each range are looked up among the keys. */
  val UseTree = "hoodie.bloom.index.use.treebased.filter"

  /** Type of the bloom filters of new files. */
  val FilterType = "hoodie.bloom.index.filter.type"

  /** Reads how files are skipped by their key ranges.
    * Errors: HUDILITE_SETTING_INVALID. */
  def pruning(conf: SQLConf): RangePruning =
    (switch(conf, PruneByRanges), switch(conf, UseTree)) match {
      case (Some(false), _) => RangePruning.Off
      case (_, Some(false)) => RangePruning.List
      case (_, Some(true)) => RangePruning.Tree
      case (Some(true), None) => RangePruning.Sweep
      case (None, None) => RangePruning.Auto
    }

  /** Text for EXPLAIN: how keys are looked up, and the setting that decides it. */
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

  /** Returns the type code of new filters, by default `DYNAMIC_V0`; stock Hudi reads SIMPLE too.
    * Errors: HUDILITE_SETTING_INVALID. */
  def filterType(conf: SQLConf): String = Setting.word(conf, FilterType)

  private def switch(conf: SQLConf, key: String): Option[Boolean] =
    Setting.word(conf, key).toBooleanOption
}
