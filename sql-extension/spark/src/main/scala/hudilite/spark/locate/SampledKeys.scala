package hudilite.spark.locate

import scala.collection.mutable.ArrayBuffer
import scala.util.hashing.byteswap32

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.InsertBins

/** Sample of the record keys of the source rows of one task in one partition of the table (task side).
  * @param path  path of the partition, "" if the table has none
  * @param bytes size of the rows in memory */
final case class SampledKeys(path: String, sample: InsertBins.Sample, bytes: Long)

object SampledKeys {

  /** Maximum number of keys that a task holds at a time, beside one for each partition. */
  private val held = 1 << 16

  /** Samples the keys of each partition.
    * @param tagged rows in any order; those without a key are left out
    * @param most   maximum number of keys of a sample
    * @param task   number of the task */
  def of(tagged: Iterator[InternalRow], most: Int, task: Int): Iterator[SampledKeys] = {
    val rows = new Rows
    tagged.filter(TaggedRow.hasKey).foreach(rows.add)
    rows.result(most, task)
  }

  private final class Rows {
    private val paths =
      new ByPartition((path, row) => new Path(path, TaggedRow.key(row).clone()))
    private var mask, count, sampled = 0

    def add(row: InternalRow): Unit = {
      val own = paths.of(row)
      own.rows += 1
      own.bytes += FileGroupNumbers.sizeOf(row)
      val draw = byteswap32(count)
      count += 1
      if ((draw & mask) == 0) {
        own.keys += (draw -> TaggedRow.key(row).clone())
        sampled += 1
        while (sampled > held) halve()
      }
    }

    def result(most: Int, task: Int): Iterator[SampledKeys] = paths.all.map { own =>
      val keys = if (own.keys.isEmpty) IndexedSeq(own.first) else own.keys.map(_._2).sorted
      SampledKeys(
        own.path.toString,
        InsertBins.Sample.spaced(keys.size, keys(_), most, own.rows, task),
        own.bytes
      )
    }

    /** Leaves out every other key, by the numbers that were drawn for them. */
    private def halve(): Unit = {
      mask = mask << 1 | 1
      paths.all.foreach(_.keys.filterInPlace { case (draw, _) => (draw & mask) == 0 })
      sampled = paths.all.map(_.keys.size).sum
    }
  }

  /** @param first key of the first row, the sample of a partition of which no other key is drawn */
  private final class Path(val path: UTF8String, val first: UTF8String) {
    var rows, bytes = 0L
    val keys: ArrayBuffer[(Int, UTF8String)] = ArrayBuffer.empty[(Int, UTF8String)]
  }
}
