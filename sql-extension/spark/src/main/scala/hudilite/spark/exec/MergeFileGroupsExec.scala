package hudilite.spark.exec

import java.util.concurrent.atomic.AtomicLong

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

import hudilite.io.Requests
import hudilite.spark.merge.{MergeResult, MergeTask, MergeTaskFacts}
import hudilite.spark.write.PendingWrite
import hudilite.view.FileSlice

/** Operator that merges tagged source rows into their file groups and writes a new base file for
  * each that changes (task side).
  *
  * The source arrives by file group, sorted by record key within each. Tasks read the target file
  * group by file group; it is never exchanged or sorted. Returns one row for each file group that
  * was looked at, and one for each task. A file group that is too large for one task is merged after
  * the others ([[LargeFileGroups]]).
  *
  * @param output attributes of [[MergeResult.schema]]
  * @param child  GatherSourceExec or SortSourceExec
  * @param write  instant that the tasks write under; None in a plan, because only an execution of
  *               CommitWriteExec begins one
  * @param sampled for a preview, which writes no file: how many changed rows of each kind to return
  *                of each file group
  */
case class MergeFileGroupsExec(
    @transient statement: WriteStatement,
    output: Seq[Attribute],
    child: SparkPlan,
    write: Option[PendingWrite] = None,
    sampled: Option[Int] = None
) extends UnaryExecNode {

  override def producedAttributes: AttributeSet = outputSet

  override def outputPartitioning: Partitioning = UnknownPartitioning(0)

  @transient private lazy val source: TaggedSource = child match {
    case sort: SortSourceExec => sort.source
    case gathered => TaggedSource(gathered.execute(), identity)
  }

  /** When the source rows were with their file groups, as System.nanoTime gives it. */
  @transient private val tagged = new AtomicLong

  @transient private lazy val facts: MergeTaskFacts = {
    val pending = write.getOrElse(
      throw new IllegalStateException("INTERNAL: file groups are merged only below a commit")
    )
    source: Unit // first: the facts need the file groups that it finds
    val ofWrite = TaskFacts.of(statement, pending, fileGroups, child.output)
    sampled.fold(ofWrite)(ofWrite.previewing)
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val ofTasks = facts
    tagged.set(System.nanoTime)
    source.sorted.mapPartitions { rows =>
      val task = new MergeTask(ofTasks, TaskContext.get())
      val projection = UnsafeProjection.create(MergeResult.schema)
      task.run(rows.map(_.asInstanceOf[UnsafeRow])).map(projection)
    }
  }

  /** Merges, and waits for the tasks: first one for several file groups, then those that share a
    * large one. */
  private def merged(): MergeResult = {
    val first = MergeResult.of(executeCollect().toSeq)
    val merged =
      if (first.parts.isEmpty) first
      else {
        val rest = new LargeFileGroups(source, facts).merge(first.parts)
        MergeResult(first.fileGroups ++ rest.fileGroups, first.counts + rest.counts)
      }
    merged.copy(tagged = tagged.get)
  }

  /** Returns the file groups that source rows were found in or that are visited, by partition, for
    * a table without buckets. */
  private def fileGroups: Option[Map[String, IndexedSeq[FileSlice]]] =
    Option.when(!statement.hasBuckets) {
      val located = LocateRowsExec.located(child).getOrElse(
        throw new IllegalStateException("INTERNAL: no file groups were looked up")
      )
      val partitions =
        (located.partitions ++ statement.visitedFileGroups.flatMap(_._1)).distinct
      partitions.zip(Requests.of(partitions)(statement.fileGroups.of)).toMap
    }

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${statement.texts.description}"

  override protected def withNewChildInternal(newChild: SparkPlan): MergeFileGroupsExec =
    copy(child = newChild)
}

object MergeFileGroupsExec {

  /** Merges under an instant and waits for the tasks.
    * @param plan    this operator, or the adaptive plan of it
    * @param sampled as of the operator */
  def run(plan: SparkPlan, write: PendingWrite, sampled: Option[Int] = None): MergeResult =
    plan match {
      case adaptive: AdaptiveSparkPlanExec => adaptive.withFinalPlanUpdate(run(_, write, sampled))
      case merge: MergeFileGroupsExec =>
        merge.copy(write = Some(write), sampled = sampled).merged()
      case other =>
        throw new IllegalStateException(s"INTERNAL: ${other.nodeName} merges no file groups")
    }
}
