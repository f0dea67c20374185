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
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import hudilite.spark.merge.{MergeResult, MergeTask}
import hudilite.spark.write.PendingWrite
import hudilite.view.FileSlice

/** Operator that merges tagged source rows into their file groups and writes a new base file for
  * each that changes (task side).
  *
  * The source arrives by file group, sorted by record key within each. Tasks read the target file
  * group by file group; it is never exchanged or sorted. Returns one row for each file group that
  * was looked at, and one for each task.
  *
  * @param output attributes of [[MergeResult.schema]]
  * @param child  GatherSourceExec or SortSourceExec
  * @param write  instant that the tasks write under; None in a plan, because only an execution of
  *               CommitWriteExec begins one
  */
case class MergeFileGroupsExec(
    @transient statement: WriteStatement,
    output: Seq[Attribute],
    child: SparkPlan,
    write: Option[PendingWrite] = None
) extends UnaryExecNode {

  override def producedAttributes: AttributeSet = outputSet

  override def outputPartitioning: Partitioning = UnknownPartitioning(0)

  override protected def doExecute(): RDD[InternalRow] = {
    val pending = write.getOrElse(
      throw new IllegalStateException("INTERNAL: file groups are merged only below a commit")
    )
    val tagged = child.execute() // first: the facts need the file groups that it finds
    val facts = TaskFacts.of(statement, pending, fileGroups, child.output)
    tagged.mapPartitions { source =>
      val task = new MergeTask(facts, TaskContext.get())
      val projection = UnsafeProjection.create(MergeResult.schema)
      task.run(source.map(_.asInstanceOf[UnsafeRow])).map(projection)
    }
  }

  /** Returns the file groups that source rows were found in or that are visited, by partition, for
    * a table without buckets. */
  private def fileGroups: Option[Map[String, IndexedSeq[FileSlice]]] =
    Option.when(!statement.hasBuckets) {
      val located = LocateRowsExec.located(child).getOrElse(
        throw new IllegalStateException("INTERNAL: no file groups were looked up")
      )
      (located.partitions ++ statement.visitedFileGroups.flatMap(_._1)).distinct
        .map(partition => partition -> statement.fileGroups.of(partition))
        .toMap
    }

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${statement.texts.description}"

  override protected def withNewChildInternal(newChild: SparkPlan): MergeFileGroupsExec =
    copy(child = newChild)
}

object MergeFileGroupsExec {

  /** Merges under an instant and waits for the tasks.
    * @param plan this operator, or the adaptive plan of it */
  def run(plan: SparkPlan, write: PendingWrite): MergeResult = plan match {
    case adaptive: AdaptiveSparkPlanExec => adaptive.withFinalPlanUpdate(run(_, write))
    case merge: MergeFileGroupsExec =>
      MergeResult.of(merge.copy(write = Some(write)).executeCollect().toSeq)
    case other =>
      throw new IllegalStateException(s"INTERNAL: ${other.nodeName} merges no file groups")
  }
}
