package org.apache.spark.sql.hudilite

import org.apache.spark.executor.CommitDeniedException
import org.apache.spark.{SparkEnv, TaskContext}

/** Bridge to what a task may ask of its driver (`OutputCommitCoordinator.canCommit`,
  * `TaskContext.killTaskIfInterrupted`), which is private to Spark's packages. */
object CommitPermission {

  /** Stops a task that was killed. */
  def checkAlive(context: TaskContext): Unit = context.killTaskIfInterrupted()

  /** Asks the coordinator for the right to keep what this attempt wrote.
    *
    * @throws org.apache.spark.executor.CommitDeniedException if another attempt has that right
    */
  def check(context: TaskContext): Unit = {
    val (stage, attempt) = (context.stageId(), context.stageAttemptNumber())
    val (partition, number) = (context.partitionId(), context.attemptNumber())
    val allowed =
      SparkEnv.get.outputCommitCoordinator.canCommit(stage, attempt, partition, number)
    if (!allowed)
      throw new CommitDeniedException(
        "Another attempt of this task writes its files",
        stage,
        partition,
        number
      )
  }
}
