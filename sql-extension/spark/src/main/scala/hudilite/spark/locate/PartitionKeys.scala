package hudilite.spark.locate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.SortedKeys

/** Sorted record keys of the source rows of one task in one partition of the table (task side).
  * @param path  path of the partition, "" if the table has none
  * @param rows  source rows with these keys
  * @param bytes size of these rows in memory */
final case class PartitionKeys(path: String, keys: SortedKeys, rows: Long, bytes: Long)

object PartitionKeys {

  /** Fails because a lost part of the source was computed again with other rows. */
  def otherKeys(): Nothing = throw new IllegalStateException(
    "The source returned other keys when a lost part of it was computed again. Nothing was " +
      "written. Run the statement again, or store the source in a table first."
  )

  /** Collects the keys of each partition.
    * @param tagged rows in any order; those without a key are left out */
  def of(tagged: Iterator[InternalRow]): Iterator[PartitionKeys] = {
    val rows = new ByPartition((path, _) => new Rows(path))
    tagged.filter(TaggedRow.hasKey).foreach(row => rows.of(row).add(row))
    rows.all.map(_.result())
  }

  private final class Rows(path: UTF8String) {
    private val keys = new SortedKeys.Builder
    private var count, bytes = 0L

    def add(row: InternalRow): Unit = {
      keys.add(TaggedRow.key(row))
      count += 1
      bytes += FileGroupNumbers.sizeOf(row)
    }

    def result(): PartitionKeys = PartitionKeys(path.toString, keys.result(), count, bytes)
  }
}

/** File groups of the record keys of one partition.
  * @param fileGroups number of the file group of each key, or [[KeyLocations.Absent]] */
final case class KeyLocations(path: String, keys: SortedKeys, fileGroups: Array[Int])

object KeyLocations {

  /** Number of a key that is in no file group. */
  final val Absent = -1
}
