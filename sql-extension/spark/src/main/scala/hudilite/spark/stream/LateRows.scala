package hudilite.spark.stream

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.{Dependency, OneToOneDependency, Partition, TaskContext}

/** Rows that are not looked for before they are read. A query that goes on after a stop asks for its
  * last batch once more and reads none of it: its files may be gone by then.
  * @param rows looks for them, on the driver */
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
