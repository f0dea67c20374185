package hudilite.service

import hudilite.commit.Committed
import hudilite.format.TableConfig
import hudilite.timeline.{
  Cleans,
  DoneAction,
  Instant,
  StoredCheckpoints,
  Timeline,
  TimelineFiles
}
import hudilite.view.{DataFile, TableSnapshot}

/** Decision which actions may leave the active timeline. Afterwards, the files of a commit that has
  * left it count because their instant is lower than the first commit that stays. So the commits
  * that leave are the first ones, in the order of their instants and in commit order.
  * @param retention what an automatic clean keeps; None if the table has none
  * @param now       milliseconds since 1970
  * Source: hudi-format §7.2, §3.13. */
private[service] final class Archivable(
    files: TimelineFiles,
    config: TableConfig,
    retention: Option[Retention],
    now: Long
) {
  import Archivable._

  private val timeline = Timeline.load(files)
  private val actions = DoneAction.of(files.layout, files.list())
  private val commits = timeline.completed
  private lazy val steps = Committed.steps(files)
  private lazy val snapshot = TableSnapshot.load(files, config)

  /** Returns the actions to archive, and why commits stay that the limits alone would let go. */
  def found(limits: ActiveLimits): Found =
    if (commits.length <= limits.most) Found(Vector.empty, None)
    else {
      val beyond = commits.dropRight(limits.least)
      val listed = (pending.toSeq ++ savepoint ++ retained).minByOption(_.first)
      val wanted = before(listed, beyond)
      val read = if (wanted.isEmpty) None else recorded(wanted, limits).minByOption(_.first)
      val bound =
        (listed ++ read).filter(_.first <= beyond.last.time).minByOption(_.first)
      val leaving = before(bound, wanted).length
      Found(whole(leaving).toVector.flatMap(upTo), bound.map(_.reason))
    }

  /** Returns the last of the first commits, at most some number of them, that are also the first
    * ones in commit order. */
  private def whole(atMost: Int): Option[Instant] = {
    val order = steps.flatten
    def areFirst(n: Int) = commits.take(n).map(_.time).toSet == order.take(n).toSet
    steps.scanLeft(0)(_ + _.length).filter(n => 0 < n && n <= atMost).findLast(areFirst)
      .map(n => commits(n - 1))
  }

  /** Returns the commits up to an instant, and the cleans and rollbacks before it. The latest clean
    * stays, because its plan says which files may be gone. */
  private def upTo(last: Instant): Vector[DoneAction] = {
    val cleans = actions.filter(_.completed.action == Cleans.action).lastOption
    actions.filter { of =>
      if (of.completed.isWrite) of.time <= last.time
      else around(of.completed.action) && of.time < last.time && !cleans.contains(of)
    }
  }

  private def before(bound: Option[Bound], commits: Vector[Instant]): Vector[Instant] =
    commits.takeWhile(i => bound.forall(i.time < _.first))

  /** Returns the reasons that only the content of commits shows, for the commits that may leave as far
    * as the listing shows. If all commits stay already, an archival after each write reads none. */
  private def recorded(wanted: Vector[Instant], limits: ActiveLimits): Seq[Bound] =
    bootstrap(wanted).toSeq ++ replaced(wanted) ++ lostLog(wanted) ++
      (if (limits.keepsCheckpoints) checkpoint(wanted) else None)

  /** Returns the last completed commit before the first pending action, which stays: otherwise the
    * files of that action would count as those of an archived commit. A commit stays, too, that was
    * completed after the action had begun: stock Hudi looks only on the active timeline for commits that
    * conflict with its write. */
  private def pending: Option[Bound] = {
    val done = actions.flatMap(_.files.map(_._1)).toSet
    timeline.instants.find(!done(_)).map { open =>
      val before = commits.takeWhile(_.time < open.time)
      val late = before.find(_.completion.exists(_ >= open.time))
      val stays = late.orElse(before.lastOption).getOrElse(open)
      Bound(stays.time, s"${open.action} ${open.time} is pending")
    }
  }

  private def savepoint: Option[Bound] = timeline.instants.find(_.action == "savepoint")
    .map(saved => Bound(saved.time, s"commit ${saved.time} has a savepoint"))

  /** Returns the earliest state that the automatic clean of the table keeps. */
  private def retained: Option[Bound] = retention.map { of =>
    val first = of.earliest(steps, timeline.stamps.get(_).map(_.modifiedMillis), now)
    Bound(first.getOrElse(""), "the automatic clean keeps the states of later commits")
  }

  private lazy val data: Seq[DataFile] = snapshot.allFiles

  /** Returns the last commit before the first instant that was never completed and has left a log file
    * or a block in one. Readers, stock Hudi's included, would count it once all commits before it are
    * archived. */
  private def lostLog(wanted: Vector[Instant]): Option[Bound] = {
    for {
      last <- wanted.lastOption if config.mayHaveLogs
      next <- commits.find(_.time > last.time)
      lost <- new LostLogs(files, config, snapshot, timeline)
        .first(data.filter(_.isLog), wanted.head.time, next.time)
    } yield {
      val first = commits.takeWhile(_.time < lost.instant).lastOption.fold("")(_.time)
      Bound(first, lost.reason)
    }
  }

  /** Returns the bootstrap if a failed attempt at it has left files: its commit alone tells them
    * from the others. */
  private def bootstrap(wanted: Vector[Instant]): Option[Bound] = {
    wanted.map(_.time).filter(Instant.bootstraps.contains).find { time =>
      val own = snapshot.recorded(time).getOrElse(Set.empty)
      data.exists(file => !file.isLog && file.instant == time && !own(file.fileName))
    }.map(Bound(_, "a failed bootstrap has left files, which CALL remove_orphans deletes"))
  }

  /** Returns the first commit with the latest checkpoint of a program of stock Hudi, which would not
    * find it in the archive. */
  private def checkpoint(wanted: Vector[Instant]): Option[Bound] = {
    def programs(of: Instant) = StoredCheckpoints.programs(files.commit(of))
    val latest = wanted.flatMap(of => programs(of).map(_ -> of)).toMap
    lazy val later = commits.drop(wanted.length).flatMap(programs).toSet
    latest.filterNot(of => later(of._1)).minByOption(_._2.time).map { case (program, of) =>
      Bound(of.time, s"$program resumes from commit ${of.time}")
    }
  }

  /** Returns the first replacecommit with a file that it hid and that no clean has deleted: it
    * would be visible again. */
  private def replaced(wanted: Vector[Instant]): Option[Bound] =
    wanted.filter(_.action == Instant.replaceCommit).find { instant =>
      files.commit(instant).replacedFileIds.exists { case (partition, ids) =>
        val hidden = ids.toSet
        snapshot.files(partition).exists(file => hidden(file.fileId))
      }
    }.map { instant =>
      Bound(instant.time, s"no clean has deleted the files that replacecommit ${instant.time} hid")
    }
}

private[service] object Archivable {

  /** Actions other than writes that leave together with the commits around them. */
  private val around = Set(Cleans.action, "rollback")

  /** Result of the decision.
    * @param actions   actions to archive, in order
    * @param stoppedBy why commits stay that the limits alone would let go */
  final case class Found(actions: Vector[DoneAction], stoppedBy: Option[String])

  /** Instant from which on commits stay, and why. */
  private final case class Bound(first: String, reason: String)
}
