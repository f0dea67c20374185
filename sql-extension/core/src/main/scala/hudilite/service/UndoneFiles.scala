package hudilite.service

import hudilite.error.HudiliteException
import hudilite.format.{LogFileBlocks, LogInstants, TableConfig, TableVersion}
import hudilite.io.Storage
import hudilite.timeline.{FileGroupRef, Timeline, TimelineFiles}
import hudilite.view.{DataFile, TableSnapshot}

/** Files of the commits that a restore undoes: base files with their instants, and log files that only
  * they have written.
  * @param deleted files to delete, each with an undone instant that wrote it
  * @param shared  log files that have blocks of other commits, too
  * Source: merge-on-read §2, §5.6. */
private[service] final case class UndoneFiles(
    deleted: Seq[(DataFile, String)],
    shared: Seq[DataFile]
) {

  /** Fails if a log file has blocks of other commits, too: they would be lost
    * with it.
    * Errors: HUDILITE_UNSUPPORTED_TABLE. */
  def checkNotShared(files: TimelineFiles): Unit = shared.headOption.foreach { file =>
    throw HudiliteException(
      "HUDILITE_UNSUPPORTED_TABLE",
      "path" -> files.basePath.toString,
      "fact" -> "a log file with blocks of commits that stay and of others",
      "value" -> file.place,
      "fix" -> ("Restore a state after these commits, or let stock Hudi restore one that has a " +
        "savepoint: CALL rollback_to_savepoint(table => '...', instant_time => '...').")
    )
  }
}

private[service] object UndoneFiles {

  /** Finds the files of commits.
    * @param lost   instants of the commits
    * @param groups file groups that they have written, None if these are not known */
  def of(
      files: TimelineFiles,
      config: TableConfig,
      lost: Set[String],
      groups: Option[Set[FileGroupRef]]
  ): UndoneFiles = {
    val snapshot = TableSnapshot.load(files, config)
    val (logs, bases) = snapshot.allFiles.partition(_.isLog)
    val ofBases = bases.filter(file => lost(file.instant))
    if (!config.mayHaveLogs) UndoneFiles(ofBases.map(named), Nil)
    else if (config.version != TableVersion.Six)
      UndoneFiles((ofBases ++ logs.filter(log => lost(log.instant))).map(named), Nil)
    else {
      val mayBe = logs.filter { log =>
        lost(log.instant) || groups.forall(_(FileGroupRef(log.partition, log.fileId)))
      }
      val pending = Timeline.named(files).pending
      def isKept(instant: String) =
        !lost(instant) && (snapshot.view.isCommitted(instant) || pending(instant))
      val (shared, whole) =
        mayBe.flatMap(new OfVersion6(files, lost, isKept).own).partition(_._3)
      UndoneFiles(ofBases.map(named) ++ whole.map(of => of._1 -> of._2), shared.map(_._1))
    }
  }

  private def named(file: DataFile): (DataFile, String) = file -> file.instant

  /** Log files of version 6, in which only the blocks tell the commits.
    * @param isKept whether an instant's blocks must stay */
  private final class OfVersion6(
      files: TimelineFiles,
      lost: Set[String],
      isKept: String => Boolean
  ) {

    /** Returns a log file that an undone commit has written, or that belongs to its base, with the
      * instant and whether anything in it must stay; None for another one. */
    def own(log: DataFile): Option[(DataFile, String, Boolean)] = {
      val path = log.path.toString
      val bytes = files.storage.readListed(log.path, log.length, Storage.maxArrayBytes)
      val in = LogInstants.of(LogFileBlocks.read(bytes, path))
      val undone = in.written.filter(lost).maxOption.orElse(Some(log.instant).filter(lost))
      undone.map(instant => (log, instant, staysIn(log, in)))
    }

    /** Whether a block must stay. A rollback must, too, unless all log files of its slice go. */
    private def staysIn(log: DataFile, in: LogInstants): Boolean =
      in.written.exists(isKept) || !lost(log.instant) && !in.rolledBack.forall(lost)
  }
}
