package hudilite.spark.write

import scala.collection.mutable

import org.apache.hadoop.fs.Path
import org.apache.spark.TaskContext
import org.apache.spark.sql.hudilite.CommitPermission

/** Identity of one attempt of one task, its permission to write, and the guard of the data files
  * that it creates: if the attempt fails, it deletes all of them, whatever the failure is (task
  * side).
  * @param partition number of the task; no two tasks that write rows for one instant share it */
final class TaskAttempt(context: TaskContext, val partition: Int) {

  def this(context: TaskContext) = this(context, context.partitionId())

  private var sequence = Option.empty[SequenceNumbers]
  private var isPermitted = false
  private val deletions = mutable.LinkedHashMap.empty[Path, () => Unit]
  context.addTaskFailureListener((_, _) => deletions.values.foreach(_.apply()))

  /** `partition-stage-attempt`: no two attempts share a file name. */
  val writeToken: String =
    s"$partition-${context.stageId()}-${context.taskAttemptId()}"

  /** Returns the `_hoodie_commit_seqno` values of all rows that the attempt writes for its instant. */
  def sequenceNumbers(instant: String): SequenceNumbers = sequence.getOrElse {
    val of = new SequenceNumbers(instant, partition)
    sequence = Some(of)
    of
  }

  /** Fails if the attempt was killed, so that it creates no file. */
  def checkAlive(): Unit = CommitPermission.checkAlive(context)

  /** Fails unless this attempt of the task may commit. The driver permits one; the others delete
    * their files. */
  def checkMayCommit(): Unit = {
    checkAlive()
    demandPermission()
  }

  /** Requests the permission once: the coordinator denies a second request, even from the same
    * attempt. */
  private def demandPermission(): Unit = if (!isPermitted) {
    CommitPermission.check(context)
    isPermitted = true
  }

  /** Guards a file from now on: a failure of the attempt runs `deletion`, which replaces an earlier
    * one for the same file. */
  private[write] def guard(file: Path, deletion: () => Unit): Unit = deletions(file) = deletion

  /** Ends the guard of a file that is deleted already. */
  private[write] def release(file: Path): Unit = deletions -= file
}
