package hudilite.service

import java.time.ZoneId
import java.util.UUID

import scala.annotation.tailrec

import hudilite.commit.{CommitLog, TimelineMove}
import hudilite.error.HudiliteException
import hudilite.format.{ChangedVersion, TableConfig, TableVersion}
import hudilite.timeline.{Timeline, TimelineFiles}
import hudilite.view.TableSnapshot

/** Change of a table's version. The rows, the base files and the numbered commits stay. Runs on the
  * driver.
  *
  * Between versions 8 and 9, only the properties change. Version 6 has another layout of the timeline,
  * so the timeline moves: see [[TimelineMove]].
  * @param zone zone in which the table's timeline names its instants
  * Source: table-versions §3, §7.9. */
final class VersionChange(files: TimelineFiles, log: CommitLog, zone: ZoneId) {
  import VersionChange._

  /** Gives the table a version. If it has that version, only deletes what an interrupted move has
    * left.
    * Errors: HUDILITE_UNSUPPORTED_TABLE if an action is pending that must be finished before, or if the
    * timeline would move although the table has log files;
    * HUDILITE_CONCURRENT_WRITE if another change of the version came before this one;
    * HUDILITE_CORRUPT_TIMELINE, HUDILITE_UNSAFE_STORAGE; those of the storage. */
  def run(version: TableVersion): Outcome = log.alone {
    checkLock(version)
    val from = files.config().version
    if (from == version) {
      removeLeftovers(from)
      Outcome(from, version, 0)
    } else if (from.timelineLayout == version.timelineLayout) {
      val timeline = log.settle().timeline
      IdleTable.check(files, timeline)
      log.detach.before(timeline, isRequired = true)
      files.replaceConfig(ChangedVersion.of(files.config(), version))
      Outcome(from, version, count(timeline))
    } else move(from, version)
  }

  private def move(from: TableVersion, version: TableVersion): Outcome = {
    checkLayout(version)
    val timeline = new TimelineMove(files, zone)
    val writer = UUID.randomUUID.toString
    @tailrec def decide(): Long = {
      val settled = log.settle()
      IdleTable.check(files, settled.timeline)
      checkNoLogs()
      log.detach.before(settled.timeline, isRequired = true)
      timeline.prepare(version): Unit
      val number = settled.highest + 1
      if (timeline.decide(number, version, writer)) number else decide()
    }
    Outcome(from, version, timeline.finish(decide(), version))
  }

  /** Deletes files that an interrupted move has left in the layout that the table does not have. */
  private def removeLeftovers(version: TableVersion): Unit = {
    val other =
      files.inVersion(if (version == TableVersion.Six) TableVersion.Nine else TableVersion.Six)
    val left = other.instants()
    TimelineMove.checkKnown(other, left, files.inVersion(version).instants())
    if (left.nonEmpty && files.config().version == version)
      files.storage.deleteAll(left)(other.path): Unit
  }

  /** Fails if the version has no part in stock Hudi's lock, which the facts of the table ask for. */
  private def checkLock(version: TableVersion): Unit =
    if (version == TableVersion.Six && log.stock.arePresent)
      throw HudiliteException(
        "HUDILITE_UNSUPPORTED_TABLE",
        "path" -> files.basePath.toString,
        "fact" -> TableConfig.Key.stockLock,
        "value" -> TableConfig.Key.stockLockStorage,
        "fix" -> (s"Stop the writers of stock Hudi and run ALTER TABLE ... UNSET TBLPROPERTIES " +
          s"('${TableConfig.Key.stockLock}'). Then call this again.")
      )

  private def checkLayout(version: TableVersion): Unit = {
    val layout = files.inVersion(version).layout
    if (layout.version != version.timelineLayout)
      throw HudiliteException(
        "HUDILITE_UNSUPPORTED_TABLE",
        "path" -> files.basePath.toString,
        "fact" -> "timeline layout",
        "value" -> layout.version,
        "fix" -> s"There is no layout of version ${version.code} for its metadata folder."
      )
  }

  /** Fails if the table has log files, also such as no snapshot shows: the instant in the name of a log
    * file means another one in the other layout. */
  private def checkNoLogs(): Unit = {
    val config = files.config()
    if (config.mayHaveLogs) {
      val snapshot = TableSnapshot.load(files, config)
      snapshot.allFiles.find(_.isLog).foreach { log =>
        throw HudiliteException(
          "HUDILITE_UNSUPPORTED_TABLE",
          "path" -> files.basePath.toString,
          "fact" -> "log file",
          "value" -> log.place,
          "fix" -> ("The names of log files differ between these versions. " +
            (if (config.isMergeOnRead)
               "Compact the table: CALL compact(table => '...'). Then delete"
             else "Delete") +
            " the log files that are left: CALL clean(table => '...', retain_commits => 1, " +
            "retain_hours => 0, allow_short_retention => true), and those of dead writers: CALL " +
            "remove_orphans(table => '...', dry_run => false). A savepoint keeps its log files until " +
            "CALL delete_savepoint. Then call this again.")
        )
      }
    }
  }
}

object VersionChange {

  /** Result of a change.
    * @param instants number of instants on the timeline; 0 if nothing was changed */
  final case class Outcome(from: TableVersion, to: TableVersion, instants: Int) {

    /** Whether the table had another version before. */
    def isChanged: Boolean = from != to
  }

  private def count(timeline: Timeline): Int =
    timeline.instants.map(i => (i.time, i.completedAction)).distinct.size
}
