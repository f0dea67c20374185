package hudilite.spark.write

import org.apache.spark.TaskContext
import org.apache.spark.sql.hudilite.CommitPermission

/** Identity of one attempt of one task, and its permission to write (task side). */
final class TaskAttempt(context: TaskContext) {

  val partition: Int = context.partitionId()

  private var rows = -1L

  /** `partition-stage-attempt`: no two attempts share a file name. */
  val writeToken: String =
    s"$partition-${context.stageId()}-${context.taskAttemptId()}"

  /** Returns `instant_task_n`, with a new n at each call. */
  def nextSequence(instant: String): String = {
    rows += 1
    s"${instant}_${partition}_$rows"
  }

  /** Fails if the attempt was killed, so that it creates no file. */
  def checkAlive(): Unit = CommitPermission.checkAlive(context)

  /** Fails unless this attempt of the task may commit. The driver permits one; the others delete
    * their files. */
  def checkMayCommit(): Unit = {
    checkAlive()
    permission
  }

  /** Requested once: the coordinator denies a second request, even from the same attempt. */
  private lazy val permission: Unit = CommitPermission.check(context)
}
