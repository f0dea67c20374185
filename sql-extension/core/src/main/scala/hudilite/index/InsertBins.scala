package hudilite.index

import org.apache.spark.unsafe.types.UTF8String

/** Which file group takes a key that is in no file yet.
  * @param groups numbers of the groups, one for each range of keys
  * @param bounds greatest key of each range but the last */
final case class InsertBins(groups: IndexedSeq[Int], bounds: IndexedSeq[UTF8String]) {

  /** @return number of a group */
  def of(key: UTF8String): Int = {
    var low = 0
    var high = bounds.size
    while (low < high) {
      val middle = (low + high) >>> 1
      if (bounds(middle).compareTo(key) < 0) low = middle + 1 else high = middle
    }
    groups(low)
  }
}

object InsertBins {

  /** Some of the keys that one task found in no file, evenly spaced, the last one among them.
    * @param count how many the task found */
  final case class Sample(keys: IndexedSeq[UTF8String], count: Long)

  /** How many keys of a partition all tasks together tell of, and each one at least. */
  val sampled = 512

  /** Fills groups that have room, then new ones of like size. New keys that are near to each other
    * come into one group, so that ranges stay narrow.
    * @param room     number of a group, and how many rows it may still take
    * @param perGroup rows of a new group, at least 1
    * @param firstNew number of the first new group */
  def of(samples: Seq[Sample], room: Seq[(Int, Long)], perGroup: Long, firstNew: Int)
      : InsertBins = {
    val weighted = samples
      .flatMap(s => s.keys.map(_ -> s.count.toDouble / s.keys.size))
      .sortBy(_._1)
    val total = samples.map(_.count).sum
    val capacities = filled(total, room, perGroup, firstNew)
    val ends = capacities.map(_._2.toDouble).scanLeft(0.0)(_ + _).tail.dropRight(1)
    val sums = weighted.map(_._2).scanLeft(0.0)(_ + _).tail.toArray
    val cuts = ends.map { end =>
      val at = sums.indexWhere(_ >= end - 0.5)
      if (at < 0) weighted.size - 1 else at
    }
    InsertBins(capacities.map(_._1).toIndexedSeq, cuts.map(weighted(_)._1).toIndexedSeq)
  }

  private def filled(total: Long, room: Seq[(Int, Long)], perGroup: Long, firstNew: Int) = {
    val sums = room.map(_._2).scanLeft(0L)(_ + _)
    val used = room.zip(sums).takeWhile(_._2 < total).map(_._1)
    val rest = total - used.map(_._2).sum
    if (rest <= 0 && used.nonEmpty) used
    else {
      val groups = math.max(1, (rest + perGroup - 1) / perGroup)
      used ++ (0 until groups.toInt).map(i => (firstNew + i, (rest + groups - 1) / groups))
    }
  }
}
