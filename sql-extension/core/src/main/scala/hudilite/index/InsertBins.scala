package hudilite.index

import org.apache.spark.unsafe.types.UTF8String

/** Assignment of keys that are in no file yet to file groups.
  * @param groups numbers of the file groups, one for each range of keys
  * @param bounds greatest key of each range except the last */
final case class InsertBins(groups: IndexedSeq[Int], bounds: IndexedSeq[UTF8String]) {

  /** Returns the number of the file group for a key. */
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

  /** Evenly spaced sample of the keys that one task found in no file.
    * @param count number of keys that the task found in no file */
  final case class Sample(keys: IndexedSeq[UTF8String], count: Long)

  object Sample {

    /** Conjugate of the golden ratio: its multiples divide an interval more and more evenly. */
    private val golden = (math.sqrt(5) - 1) / 2

    /** Chooses keys at equal distances. Each task begins elsewhere: tasks whose keys are spread alike
      * would choose nearly the same keys otherwise.
      * @param size  number of keys to choose from, at least 1
      * @param key   key with a number, in the order of keys
      * @param most  maximum number of keys of the sample, at least 1
      * @param count number of keys that the sample stands for
      * @param task  number of the task, from 0 on */
    def spaced(size: Int, key: Int => UTF8String, most: Int, count: Long, task: Int): Sample = {
      val n = math.min(size, most)
      val begin = (task + 1) * golden % 1.0
      Sample((0 until n).map(i => key(((i + begin) * size / n).toInt.min(size - 1))), count)
    }
  }

  /** Number of keys that all tasks together sample in a partition. Each task samples at least
    * one. */
  val sampled = 512

  /** Fills file groups that have room, then new ones of similar size. New keys that are close to
    * each other get the same file group, so that key ranges stay narrow.
    * @param room     number of a file group, and how many more rows it may get
    * @param perGroup maximum number of rows of a new file group, at least 1
    * @param firstNew number of the first new file group */
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
