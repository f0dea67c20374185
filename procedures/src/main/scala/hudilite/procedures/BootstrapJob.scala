package hudilite.procedures

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.{HashPartitioner, TaskContext}

import hudilite.procedures.BootstrapWork.{Item, Report}

/** Spark jobs that inspect the source files of a bootstrap. Started on the driver; the tasks run
  * [[BootstrapTask]] and compare key hashes after a shuffle. */
private[procedures] object BootstrapJob {

  /** Result of the inspection.
    * @param reports  one per file, in the order of their ordinals
    * @param repeated sorted key hashes that occur more than once; different keys may share a
    *                 hash */
  final case class Found(reports: Seq[Report], repeated: Array[Long])

  /** Duplicate key.
    * @param files ordinal of a file to the number of its rows with the key */
  final case class Twice(key: String, files: Map[Int, Long])

  /** Inspects all files, and writes their skeletons if `work` has a pending write.
    * @param bins files of each task */
  def run(session: SparkSession, bins: Seq[Seq[Item]], work: BootstrapWork): Found = {
    val context = session.sparkContext
    val parts = pieces(context.parallelize(bins, bins.size), work)
      .partitionBy(new HashPartitioner(work.ranges))
      .mapPartitions(judged)
      .collect()
    Found(parts.toSeq.flatMap(_._1).sortBy(_.ordinal), parts.flatMap(_._2).sorted)
  }

  /** Finds the duplicate keys behind repeated hashes. It reads the keys again, because different
    * keys may share a hash. */
  def twice(
      session: SparkSession,
      bins: Seq[Seq[Item]],
      work: BootstrapWork,
      hashes: Array[Long]
  ): RDD[Twice] = {
    val context = session.sparkContext
    val sought = context.broadcast(hashes)
    keys(context.parallelize(bins, bins.size), work, sought)
      .reduceByKey((a, b) =>
        b.foldLeft(a) { case (all, (file, n)) =>
          all.updated(file, all.getOrElse(file, 0L) + n)
        }
      )
      .filter(_._2.values.sum > 1)
      .map { case ((_, key), files) => Twice(key, files) }
  }

  private def pieces(
      bins: RDD[Seq[Item]],
      work: BootstrapWork
  ): RDD[(Int, KeyHashes.Piece)] =
    bins.flatMap(items => new BootstrapTask(work, TaskContext.get()).run(items))

  private def keys(
      bins: RDD[Seq[Item]],
      work: BootstrapWork,
      hashes: Broadcast[Array[Long]]
  ): RDD[((String, String), Map[Int, Long])] = bins.flatMap { items =>
    val task = new BootstrapTask(work, TaskContext.get())
    items.iterator.flatMap { item =>
      task.repeated(item, hashes.value).map(_ -> Map(item.ordinal -> 1L))
    }
  }

  private def judged(
      pieces: Iterator[(Int, KeyHashes.Piece)]
  ): Iterator[(Seq[Report], Array[Long])] = {
    val all = pieces.map(_._2).toVector
    val reports = all.collect { case KeyHashes.Told(report) => report }
    Iterator.single(reports -> KeyHashes.repeated(all.collect { case KeyHashes.Hashes(h) => h }))
  }
}
