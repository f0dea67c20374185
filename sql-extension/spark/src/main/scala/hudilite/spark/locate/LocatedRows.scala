package hudilite.spark.locate

import scala.jdk.CollectionConverters._

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.util.CollectionAccumulator

/** Tagged source rows whose file groups have been looked up, and what the lookup has found (driver
  * side).
  *
  * @param rows       rows with the numbers of their file groups
  * @param sourceRows number of rows with a key that were looked up
  * @param partitions partition paths of these rows
  * @param persisted  what [[rows]] is computed from, until [[release]]
  * @param rangeless  names of files whose footers contain no key range
  */
final class LocatedRows private[locate] (
    val rows: RDD[InternalRow],
    val sourceRows: Long,
    val partitions: Seq[String],
    persisted: Seq[RDD[_]],
    rangeless: CollectionAccumulator[String]
) {

  /** Returns the sorted names of files whose footers contain no key range; of each lookup task only
    * the first few. */
  def filesWithoutRange: Seq[String] = rangeless.value.asScala.toSeq.distinct.sorted

  /** Frees the memory of what is persisted. */
  def release(): Unit = persisted.foreach(_.unpersist(): Unit)
}
