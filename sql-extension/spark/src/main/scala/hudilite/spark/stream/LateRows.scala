package hudilite.spark.stream

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.{Dependency, OneToOneDependency, Partition, TaskContext}

/** RDD that plans its rows only when they are first read. A restarted query requests its last batch
  * again but does not read it, and the files of that batch may be gone by then.
  * @param rows plans the rows, on the driver */
private[stream] final class LateRows(
    session: SparkSession,
    @transient private val rows: () => RDD[InternalRow]
) extends RDD[InternalRow](session.sparkContext, Nil) {
  @transient private lazy val found = rows()

  override protected def getPartitions: Array[Partition] = found.partitions

  override protected def getDependencies: Seq[Dependency[_]] = Seq(new OneToOneDependency(found))

  override def compute(part: Partition, context: TaskContext): Iterator[InternalRow] =
    firstParent[InternalRow].iterator(part, context)
}
