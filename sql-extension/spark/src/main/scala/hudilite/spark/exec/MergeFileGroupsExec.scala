package hudilite.spark.exec

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  AttributeSet,
  SortOrder,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Merges tagged source rows into their file groups and writes one new base file for each (task
  * side).
  *
  * The source comes by file group, sorted by record key within; the target is read here,
  * group by group, and is never exchanged or sorted. Puts out one row for each group it looked at,
  * and one for each task.
  *
  * @param child GatherSourceExec or SortSourceExec
  */
case class MergeFileGroupsExec(
    @transient job: WriteJob,
    output: Seq[Attribute],
    child: SparkPlan
) extends UnaryExecNode {

  override def producedAttributes: AttributeSet = outputSet

  override def outputPartitioning: Partitioning = UnknownPartitioning(0)

  override protected def doExecute(): RDD[InternalRow] = {
    val tagged = child.execute() // first, as it finds the file groups
    val facts = job.facts(child.output)
    tagged.mapPartitions { source =>
      val task = new MergeTask(facts, TaskContext.get())
      val projection = UnsafeProjection.create(MergeResult.schema)
      task.run(source.map(_.asInstanceOf[UnsafeRow])).map(projection)
    }
  }

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${job.description}"

  override protected def withNewChildInternal(newChild: SparkPlan): MergeFileGroupsExec =
    copy(child = newChild)
}

object MergeFileGroupsExec {

  /** File group (partition, bucket), then record key. */
  def order(tagged: Seq[Attribute]): Seq[SortOrder] = tagged.take(3).map(SortOrder(_, Ascending))
}
