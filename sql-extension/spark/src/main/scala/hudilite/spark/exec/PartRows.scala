package hudilite.spark.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.{NarrowDependency, Partition, TaskContext}

import hudilite.spark.merge.MergePart

/** RDD of the source rows of parts of large file groups, with one partition for each part (task
  * side). Each reads the whole partition of the source that contains its file group and returns the
  * rows of its range of keys. Unlike the splits of Spark's skew join, which are ranges of map tasks,
  * a range of keys contains all rows of a key.
  *
  * @param rows tagged source rows in partitions that contain whole file groups */
final private[spark] class PartRows(
    rows: RDD[InternalRow],
    @transient parts: IndexedSeq[MergePart]
) extends RDD[InternalRow](
      rows.context,
      Seq(new NarrowDependency[InternalRow](rows) {
        private val sources = parts.map(_.source)
        override def getParents(partition: Int): Seq[Int] = Seq(sources(partition))
      })
    ) {

  override protected def getPartitions: Array[Partition] = {
    val sources = rows.partitions
    parts.indices.map(i => PartRows.Rows(i, parts(i), sources(parts(i).source)): Partition).toArray
  }

  override def compute(split: Partition, context: TaskContext): Iterator[InternalRow] = {
    val PartRows.Rows(_, part, source) = split.asInstanceOf[PartRows.Rows]
    firstParent[InternalRow].iterator(source, context).filter(part.holds)
  }
}

private object PartRows {
  final case class Rows(index: Int, part: MergePart, source: Partition) extends Partition
}
