package hudilite.view

import hudilite.timeline.TimelineFiles

/** Records of the instants of a table, which a snapshot reads where the names of files do not tell
  * enough. */
trait InstantRecords {

  /** Returns the names of the files that the instant's commit lists, None if not known. A snapshot
    * asks only if one instant left two files of one file group, as repeated task attempts do. */
  def apply(instant: String): Option[Set[String]]

  /** Returns when an archived instant was completed, None if not known. Called only for a log file
    * of versions 8 and 9 whose instant is archived and before that of the base of its file group. */
  def completion(instant: String): Option[String] = None
}

private[hudilite] object InstantRecords {

  /** Returns the records of a table.
    * @param names as of [[InstantRecords.apply]]
    * Errors of the result: HUDILITE_CORRUPT_TIMELINE if the archive is damaged. */
  def of(timeline: TimelineFiles)(names: String => Option[Set[String]]): InstantRecords = {
    lazy val archive = timeline.layout.archive(timeline, timeline.config())
    new InstantRecords {
      override def apply(instant: String): Option[Set[String]] = names(instant)
      override def completion(instant: String): Option[String] = archive.completion(instant)
    }
  }
}
