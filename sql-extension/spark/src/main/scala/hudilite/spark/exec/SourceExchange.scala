package hudilite.spark.exec

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{ClusteredDistribution, Distribution}

/** Distribution of a statement's source rows over the tasks that merge (driver side). */
object SourceExchange {

  /** File groups differ in size: several tasks for each core even that out. */
  private val tasksPerCore = 4

  /** Returns a distribution with the source rows of one file group in one task. The number of tasks
    * is fixed, because adaptive execution counts only the bytes of the source: it would give a few
    * thousand keys, with all file groups that they touch, to a single task.
    * @param fileGroup expressions that identify the file group */
  def distribution(statement: WriteStatement, fileGroup: Seq[Expression]): Distribution =
    ClusteredDistribution(fileGroup, requiredNumPartitions = Some(tasks(statement)))

  /** Returns the number of tasks: the session's shuffle partitions, but not more than there are
    * buckets to merge, nor than keep a local machine's cores busy. */
  def tasks(statement: WriteStatement): Int = {
    val session = statement.session
    val config = statement.table.config
    val context = session.sparkContext
    val asked = session.sessionState.conf.numShufflePartitions
    val busy = if (context.isLocal) context.defaultParallelism * tasksPerCore else asked
    val isOneFileGroupABucket = config.partitionFields.isEmpty || statement.spansPartitions
    val buckets = statement.counts.filter(_ => isOneFileGroupABucket).fold(asked)(_.coarse)
    Seq(asked, busy, buckets).min
  }
}
