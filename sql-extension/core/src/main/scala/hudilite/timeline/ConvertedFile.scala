package hudilite.timeline

/** Files of instants as the layout of another table version names and stores them. What a commit says
  * of base files stays; statistics that stock Hudi alone knows are left out. All else but commits has
  * the same content in each version.
  * Source: table-versions §1.2-1.5, §3.3. */
private[hudilite] object ConvertedFile {

  /** Returns the instant's state as the other layout has it.
    * @param completion time of completion, which only some layouts name */
  def instant(instant: Instant, to: TimelineLayout, completion: Option[String]): Instant = {
    val isNamed = instant.action != Instant.clustering || to.namesCompletion
    val action = if (isNamed) instant.action else instant.completedAction
    val isDone = instant.state == Instant.Completed && to.namesCompletion
    instant.copy(action = action, completion = if (isDone) completion else None)
  }

  /** Returns the content of the instant's file in the other layout. The inflight file of a write,
    * which only its own writer reads, is written without content of the writer.
    * Errors: HUDILITE_CORRUPT_TIMELINE; those of [[TimelineFiles.read]]. */
  def content(instant: Instant, from: TimelineFiles, to: TimelineFiles): Array[Byte] =
    instant.state match {
      case Instant.Completed if Instant.writes(instant.action) =>
        to.codec.encodeCommit(from.commit(instant).toJson, instant.action, from.path(instant))
      case Instant.Inflight if Instant.writes(instant.action) => to.codec.encodeInflight(Map.empty)
      case _ => from.read(instant)
    }
}
