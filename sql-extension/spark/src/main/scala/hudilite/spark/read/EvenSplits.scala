package hudilite.spark.read

import scala.annotation.tailrec
import scala.collection.mutable

import org.apache.spark.sql.types.{StringType, StructType}

import hudilite.format.MetaFields
import hudilite.view.FileSlice

/** Distribution of file slices over input partitions of nearly the same size (driver side).
  * Slices that are not cut come first, the largest one to the input partition with the fewest
  * bytes. The others fill these up one after another, so that few are cut. */
private[read] object EvenSplits {

  /** File slice with its size as a read sees it.
    * @param ofBase bytes of the base that are read
    * @param ofLogs bytes of the log files, which each part of the slice reads
    * @param mayCut whether several tasks may read parts of it */
  final case class Sized(slice: FileSlice, ofBase: Long, ofLogs: Long, mayCut: Boolean)

  /** Returns the input partitions, none of them empty. */
  def of(slices: Seq[Sized], limits: ScanLimits): Seq[SlicePartition] = {
    val all = slices.map(Rest(_, 0L, limits.openBytes))
    val (line, wholes) = all.partition(_.of.mayCut)
    val bins = packed(wholes, limits.tasks(all.map(_.cost).sum))
    filled(bins, Line(line.toList, line.map(_.cost).sum, limits.openBytes))
      .filter(_.nonEmpty).map(SlicePartition(_))
  }

  /** Estimates the share of the bytes of a base file that some of its columns take, by the sizes
    * that Spark assumes for their types. Of the meta columns, only the record key takes any: the
    * values of the others hardly differ from row to row.
    * @param table columns of the table
    * @param read  columns that are read */
  def share(table: StructType, read: StructType): Double = {
    def bytes(of: StructType) = of.filterNot(c => small(c.name)).map(_.dataType.defaultSize).sum
    (bytes(read).toDouble / bytes(table.add(MetaFields.RecordKey, StringType))).min(1.0)
  }

  private val small = MetaFields.all.toSet - MetaFields.RecordKey

  /** Rows of a slice from a byte of its base on.
    * @param openBytes bytes that cost as much as opening a file */
  private final case class Rest(of: Sized, start: Long, openBytes: Long) {
    private def length = of.slice.withoutLogs.fold(0L)(_.dataLength)
    private def fixed = (if (start == 0) openBytes else 0L) + of.ofLogs

    /** Bytes to read, with what opening costs the first time: nearly each task opens a file
      * again. */
    val cost: Long = fixed + (of.ofBase.toDouble * (length - start) / length.max(1)).toLong

    def part: SlicePart =
      if (start == 0) SlicePart.whole(of.slice) else SlicePart(of.slice, start, length - start)

    /** Cuts off a part of some cost; None if it would be smaller than what opening costs. */
    def cut(most: Long): Option[(SlicePart, Rest)] = {
      val bytes = ((most - fixed).toDouble / of.ofBase.max(1) * length).toLong
      Option.when(most - fixed >= openBytes.max(1) && bytes > 0 && bytes < length - start)(
        (SlicePart(of.slice, start, bytes), copy(start = start + bytes))
      )
    }
  }

  /** Slices that no input partition has yet.
    * @param cost sum of their costs */
  private final case class Line(rests: List[Rest], cost: Long, openBytes: Long) {

    /** Takes parts that cost as much as there is room, or a little more or less. */
    def taken(room: Long): (Vector[SlicePart], Line) = taken(room, Vector.empty)

    @tailrec private def taken(
        room: Long,
        parts: Vector[SlicePart]
    ): (Vector[SlicePart], Line) = rests match {
      case first :: others if isNear(first.cost, room) =>
        copy(others, cost - first.cost).taken(room - first.cost, parts :+ first.part)
      case first :: others =>
        first.cut(room).fold((parts, this)) { case (part, rest) =>
          (parts :+ part, copy(rest :: others, cost - first.cost + rest.cost))
        }
      case Nil => (parts, this)
    }

    /** Whether a rest is no larger than the room, or too little to be cut or left. */
    private def isNear(size: Long, room: Long) =
      size <= room || size - room <= openBytes.min(room)
  }

  /** Input partition that is to be filled up.
    * @param cost what its parts cost */
  private final case class Bin(parts: Vector[SlicePart], cost: Long)

  private def packed(wholes: Seq[Rest], tasks: Int): Seq[Bin] = {
    val least = mutable.PriorityQueue.from(
      Seq.fill(tasks)(Bin(Vector.empty, 0L))
    )(Ordering.by(bin => -bin.cost))
    wholes.sortBy(-_.cost).foreach { whole =>
      val bin = least.dequeue()
      least.enqueue(Bin(bin.parts :+ whole.part, bin.cost + whole.cost))
    }
    least.toSeq.sortBy(-_.cost)
  }

  /** Fills input partitions up to the same cost.
    * @param bins those with the greatest cost first */
  private def filled(bins: Seq[Bin], line: Line): Seq[Vector[SlicePart]] = {
    val costs = bins.map(_.cost).scanRight(0L)(_ + _) // of each input partition and those after it
    val start = (Vector.empty[Vector[SlicePart]], line)
    bins.zip(costs).zipWithIndex.foldLeft(start) { case ((done, left), ((bin, cost), i)) =>
      val (parts, others) = left.taken((left.cost + cost) / (bins.size - i) - bin.cost)
      (done :+ (bin.parts ++ parts), others)
    }._1
  }
}
