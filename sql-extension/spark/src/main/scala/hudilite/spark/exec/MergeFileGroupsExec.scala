package hudilite.spark.exec

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import hudilite.spark.merge.{MergeResult, MergeTask}

/** Operator that merges tagged source rows into their file groups and writes a new base file for
  * each that changes (task side).
  *
  * The source arrives by file group, sorted by record key within each. Tasks read the target file
  * group by file group; it is never exchanged or sorted. Returns one row for each file group that
  * was looked at, and one for each task.
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
    val tagged = child.execute() // first: the facts need the file groups that it finds
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
