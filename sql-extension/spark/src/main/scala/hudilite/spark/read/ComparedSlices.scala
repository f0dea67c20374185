package hudilite.spark.read

import scala.collection.mutable

import hudilite.format.{FileId, IndexKind, TableConfig}
import hudilite.view.{ChangedFiles, FileSlice}

/** File slice on one side of a step.
  * @param isAfter whether it is a slice after the step
  * @param seen    last instant of the state in which it is read */
private[read] final case class SeenSlice(slice: FileSlice, isAfter: Boolean, seen: String)

/** File slices before and after a step between which rows of one key can be: those of a file group, of a
  * bucket, or of a partition in which the step has hidden file groups.
  * @param number   number among all that are compared
  * @param instants instants of the step
  * @param slices   slices of both sides */
private[read] final case class ComparedSlices(
    number: Int,
    instants: Seq[String],
    slices: Seq[SeenSlice]
) {

  /** Size in bytes of the files to read. */
  def length: Long = slices.map(_.slice.dataLength).sum
}

private[read] object ComparedSlices {

  /** Returns what is compared, in the order of the steps. */
  def of(config: TableConfig, changes: Seq[ChangedFiles]): Vector[ComparedSlices] =
    changes.toVector.flatMap(ofStep(config, _)).zipWithIndex.map { case ((instants, slices), n) =>
      ComparedSlices(n, instants, slices)
    }

  private def ofStep(
      config: TableConfig,
      step: ChangedFiles
  ): Seq[(Seq[String], Seq[SeenSlice])] = {
    val written = step.after.all.map(place).toSet
    val hiding = step.before.all.filterNot(slice => written(place(slice))).map(_.partition).toSet
    val all = seen(step.before, isAfter = false) ++ seen(step.after, isAfter = true)
    // The lower number of buckets, if rows have gone to buckets of another number.
    val count = all.flatMap(_.slice.bucket).map(_.count).minOption.getOrElse(IndexKind.maxBuckets)
    def groupOf(of: SeenSlice) = of.slice.partition -> (
      if (config.hasBuckets)
        FileId.bucketOf(of.slice.fileId).fold(of.slice.fileId)(n => (n % count).toString)
      else if (hiding(of.slice.partition)) ""
      else of.slice.fileId
    )
    all.groupBy(groupOf).toSeq.sortBy(_._1).map { case (_, slices) => (step.instants, slices) }
  }

  private def seen(side: ChangedFiles.Slices, isAfter: Boolean): Seq[SeenSlice] =
    side.seen.toSeq.flatMap(state => side.all.map(SeenSlice(_, isAfter, state)))

  private def place(slice: FileSlice): (String, String) = (slice.partition, slice.fileId)

  /** Distributes slices over tasks of about the same size; in each, the order stays.
    * @param all   what is compared
    * @param tasks number of tasks, at least one
    * @param cost  of opening a file, in bytes */
  def distributed(
      all: Seq[ComparedSlices],
      tasks: Int,
      cost: Long
  ): Vector[Vector[ComparedSlices]] = {
    val filled = mutable.PriorityQueue.tabulate(tasks)(n => (0L, n))(
      Ordering[(Long, Int)].reverse
    )
    val largest = all.indices.sortBy(n => (-all(n).length, n))
    val taskOf = largest.map { n =>
      val (bytes, task) = filled.dequeue()
      filled.enqueue((bytes + all(n).length + cost * all(n).slices.size, task))
      n -> task
    }.toMap
    val byTask = all.indices.groupBy(taskOf)
    Vector.tabulate(tasks)(byTask.getOrElse(_, Nil).map(all).toVector)
  }
}
