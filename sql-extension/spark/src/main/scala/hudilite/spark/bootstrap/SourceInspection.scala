package hudilite.spark.bootstrap

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.{HashPartitioner, TaskContext}

/** Inspection of all source files, and creation of the skeletons of adopted ones, by Spark jobs.
  * Runs on the driver; the tasks run [[SkeletonTask]] and compare key hashes after a shuffle.
  * @param parallelism maximum number of tasks that read files
  * @param files       in the order of their ordinals
  * @param facts       with a pending write, the tasks also write the skeletons of adopted files */
final class SourceInspection(
    session: SparkSession,
    parallelism: Option[Int],
    files: Seq[PlacedFile],
    facts: SkeletonTaskFacts
) {
  import SourceInspection._

  /** Inspects the files, and writes their skeletons if there is a pending write. */
  def run(): Inspected = {
    val parts = records(inTasks(files), facts)
      .partitionBy(new HashPartitioner(facts.ranges))
      .mapPartitions(compared)
      .collect()
    Inspected(parts.toSeq.flatMap(_._1).sortBy(_.ordinal), parts.flatMap(_._2).sorted)
  }

  /** Finds the duplicate keys behind repeated hashes. It reads the keys of the files without a
    * fault again, because different keys may share a hash. */
  def duplicates(inspected: Inspected): RDD[DuplicateKey] = {
    val readable = files.filter(file => inspected.reports(file.ordinal).fault.isEmpty)
    if (inspected.repeated.isEmpty || readable.isEmpty) session.sparkContext.emptyRDD
    else {
      val hashes = session.sparkContext.broadcast(inspected.repeated)
      keys(inTasks(readable), facts, hashes)
        .reduceByKey((a, b) =>
          b.foldLeft(a) { case (all, (file, n)) =>
            all.updated(file, all.getOrElse(file, 0L) + n)
          }
        )
        .filter(_._2.values.sum > 1)
        .map { case ((_, key), counts) => DuplicateKey(key, counts) }
    }
  }

  private def inTasks(files: Seq[PlacedFile]): RDD[Seq[PlacedFile]] = {
    val bins = FileBins.of(session, files, parallelism)
    session.sparkContext.parallelize(bins, bins.size)
  }
}

object SourceInspection {

  /** Result of the inspection.
    * @param reports  one per file, in the order of their ordinals
    * @param repeated sorted key hashes that occur more than once; different keys may share a
    *                 hash */
  final case class Inspected(reports: Seq[FileReport], repeated: Array[Long])

  /** Key that occurs more than once.
    * @param files ordinal of a file to the number of its rows with the key */
  final case class DuplicateKey(key: String, files: Map[Int, Long])

  private def records(
      bins: RDD[Seq[PlacedFile]],
      facts: SkeletonTaskFacts
  ): RDD[(Int, InspectionRecord)] =
    bins.flatMap(files => new SkeletonTask(facts, TaskContext.get()).run(files))

  private def keys(
      bins: RDD[Seq[PlacedFile]],
      facts: SkeletonTaskFacts,
      hashes: Broadcast[Array[Long]]
  ): RDD[((String, String), Map[Int, Long])] = bins.flatMap { files =>
    val task = new SkeletonTask(facts, TaskContext.get())
    files.iterator.flatMap { file =>
      task.keysOf(file, hashes.value).map(_ -> Map(file.ordinal -> 1L))
    }
  }

  /** Returns the reports among the records of one range, and the hashes that occur more than
    * once. */
  private def compared(
      records: Iterator[(Int, InspectionRecord)]
  ): Iterator[(Seq[FileReport], Array[Long])] = {
    val all = records.map(_._2).toVector
    val reports = all.collect { case InspectionRecord.Inspected(report) => report }
    val hashes = all.collect { case InspectionRecord.Hashes(some) => some }
    Iterator.single(reports -> KeyHashes.repeated(hashes))
  }
}
