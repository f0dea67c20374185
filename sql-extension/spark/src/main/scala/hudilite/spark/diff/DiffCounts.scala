package hudilite.spark.diff

/** Numbers of the differences in a partition.
  * @param partition relative path */
final case class DiffCounts(partition: String, inserted: Long, updated: Long, deleted: Long)

private[diff] object DiffCounts {

  /** Adds up the numbers of each partition that has a difference, in the order of their paths. */
  def total(counts: Seq[DiffCounts]): Seq[DiffCounts] =
    counts.groupBy(_.partition).toSeq.sortBy(_._1).map { case (partition, of) =>
      DiffCounts(partition, of.map(_.inserted).sum, of.map(_.updated).sum, of.map(_.deleted).sum)
    }.filter(of => of.inserted + of.updated + of.deleted > 0)
}
