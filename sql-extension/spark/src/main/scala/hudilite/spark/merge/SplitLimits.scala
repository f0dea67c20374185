package hudilite.spark.merge

/** Limits by which a merge of a base file is split over several tasks.
  * @param above size in bytes of a base file above which its merge is split
  * @param most  maximum number of tasks for one base file */
final case class SplitLimits(above: Long, most: Int)
