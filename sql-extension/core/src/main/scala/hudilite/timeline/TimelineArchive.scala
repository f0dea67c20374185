package hudilite.timeline

import hudilite.error.HudiliteException
import hudilite.format.{TableConfig, TableVersion}

/** Archive of one table's timeline, in the form in which stock Hudi reads and continues it. */
private[hudilite] trait TimelineArchive {

  /** Adds actions that are about to leave the timeline, except those that it contains. When this
    * returns, the archive contains them, complete and durable. A crash before leaves the archive as
    * it was, or with all of them.
    * @param actions completed actions in order, at least one
    * Errors: those of [[hudilite.io.Storage.read]], HUDILITE_CORRUPT_TIMELINE if a file of an action
    * is damaged, HUDILITE_UNSAFE_STORAGE. */
  def add(actions: Seq[DoneAction]): Unit

  /** Returns when an archived action was completed; None if that is not known. Reads a file of the archive
    * at most once.
    * Errors: those of [[add]]. */
  def completion(instant: String): Option[String] = None

  /** Returns the archived commits, replacecommits and deltacommits between two instants, both exclusive.
    * Reads the files of the archive that may have some.
    * Errors: those of [[add]]. */
  def writes(after: String, before: String): Iterator[String]

  /** Whether nothing was archived. Makes one call of the storage. */
  def isEmpty: Boolean
}

private[hudilite] object TimelineArchive {

  /** Whether commits of a table were archived, in its own version or in one that it had before. Makes
    * one call of the storage for each archive, until one is not empty. */
  def hasCommits(files: TimelineFiles, config: TableConfig): Boolean =
    of(files, config).exists(!_.isEmpty)

  /** Returns the archived writes of a table between two instants, both exclusive, as
    * [[hasCommits]] finds archives. */
  def writes(
      files: TimelineFiles,
      config: TableConfig,
      after: String,
      before: String
  ): Set[String] = of(files, config).flatMap(_.writes(after, before)).toSet

  private def of(files: TimelineFiles, config: TableConfig): Seq[TimelineArchive] =
    Seq(config.version, TableVersion.Six, TableVersion.Nine)
      .map(files.inVersion)
      .distinctBy(_.layout)
      .map(of => of.layout.archive(of, config))

  /** Archive of a layout whose form is not known: it is not written, and counts as empty. */
  private[timeline] final class Unknown(files: TimelineFiles, config: TableConfig)
      extends TimelineArchive {
    override def isEmpty: Boolean = true

    override def writes(after: String, before: String): Iterator[String] = Iterator.empty

    override def add(actions: Seq[DoneAction]): Unit = throw HudiliteException(
      "HUDILITE_UNSUPPORTED_TABLE",
      "path" -> files.basePath.toString,
      "fact" -> TableConfig.Key.version,
      "value" -> config.version.code,
      "fix" -> "hudilite does not archive the timeline of this version. Archive it with stock Hudi."
    )
  }
}
