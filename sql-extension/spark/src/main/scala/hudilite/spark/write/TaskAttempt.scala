package hudilite.spark.write

import org.apache.spark.TaskContext
import org.apache.spark.sql.hudilite.CommitPermission

/** What names one attempt of one task, and whether it may still write (task side). */
final class TaskAttempt(context: TaskContext) {

  val partition: Int = context.partitionId()

  private var rows = -1L

  /** `partition-stage-attempt`, so that no two attempts ever share a file name. */
  val writeToken: String =
    s"$partition-${context.stageId()}-${context.taskAttemptId()}"

  /** `instant_task_n`, a fresh n at each call. */
  def nextSequence(instant: String): String = {
    rows += 1
    s"${instant}_${partition}_$rows"
  }

  /** Stops a killed attempt before it makes a file. */
  def checkAlive(): Unit = CommitPermission.checkAlive(context)

  /** Lets one attempt of the task through; the others fail and delete their files. */
  def checkMayCommit(): Unit = {
    checkAlive()
    permission
  }

  /** Asked for once: the coordinator denies whoever comes second, even the same attempt. */
  private lazy val permission: Unit = CommitPermission.check(context)
}
