package hudilite.spark.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering
import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Operator that collects a small tagged source on the driver instead of exchanging it (driver
  * side).
  *
  * Used only if the plan proves that the source has few rows. Sorts the rows and returns them in
  * partitions that never split rows that belong together.
  *
  * @param together columns whose values are equal in rows that stay in one task, the first ones of
  *                 the order: those of the file group, or that of the partition if rows have no
  *                 file group yet
  * @param order    order of the rows
  */
case class GatherSourceExec(together: Seq[Attribute], order: Seq[SortOrder], child: SparkPlan)
    extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output
  override def outputOrdering: Seq[SortOrder] = order
  override def outputPartitioning: Partitioning = UnknownPartitioning(0)

  override protected def doExecute(): RDD[InternalRow] = {
    val ordering = new LazilyGeneratedOrdering(order, child.output)
    val rows = child.executeCollect().sorted(ordering)
    if (rows.isEmpty) sparkContext.emptyRDD[InternalRow]
    else {
      val tasks = packs(rows)
      sparkContext.parallelize(tasks, tasks.size).flatMap(_.iterator)
    }
  }

  /** Packs the rows that stay together into at most four tasks for each core. */
  private def packs(rows: Array[InternalRow]): Seq[Array[InternalRow]] = {
    val alike = new LazilyGeneratedOrdering(together.map(SortOrder(_, Ascending)), child.output)
    val starts = rows.indices.filter(i => i == 0 || alike.compare(rows(i - 1), rows(i)) != 0)
    val units = starts.zip(starts.drop(1) :+ rows.length).map { case (a, b) => rows.slice(a, b) }
    val most = math.max(1, sparkContext.defaultParallelism * 4)
    val perTask = (units.size + most - 1) / most
    units.grouped(perTask).map(_.flatten.toArray).toSeq
  }

  override def simpleString(maxFields: Int): String = s"$nodeName (small source, no exchange)"

  override protected def withNewChildInternal(newChild: SparkPlan): GatherSourceExec =
    copy(child = newChild)
}
