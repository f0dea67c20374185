package org.apache.spark.sql.hudilite

import org.apache.spark.executor.CommitDeniedException
import org.apache.spark.{SparkEnv, TaskContext}

/** Checks whether a task attempt may continue and may keep its files (task side). Bridge to
  * `OutputCommitCoordinator.canCommit` and `TaskContext.killTaskIfInterrupted`, which are private
  * to Spark's packages. */
object CommitPermission {

  /** Throws if the task was killed. */
  def checkAlive(context: TaskContext): Unit = context.killTaskIfInterrupted()

  /** Requests the coordinator's permission to keep the files of this attempt.
    *
    * @throws org.apache.spark.executor.CommitDeniedException if another attempt has that permission
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
