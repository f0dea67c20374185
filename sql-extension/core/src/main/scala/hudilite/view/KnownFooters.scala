package hudilite.view

import hudilite.io.SoftCache
import hudilite.timeline.TimelineFiles

/** Footers of a table's base files that this JVM knows, because it has read them or ANALYZE
  * TABLE has stored them (driver side, one thread). They are released when memory is short.
  * @param table uuid of the table */
final class KnownFooters private[view] (timeline: TimelineFiles, table: String) {
  import KnownFooters._

  private val key = (timeline.basePath.toString, table)
  private var now = tables.get(key).getOrElse(TableFooters())

  /** Returns the footer of a base file; None if it is not known or cannot be judged. */
  def of(file: FileSlice): Option[ShortFooter] = now.of(file)

  /** Returns the files whose footers nobody has looked at. Reads the stored footers if there are
    * any such files, once for each table. */
  def unknown(files: Seq[FileSlice]): Seq[FileSlice] = {
    def left = files.filterNot(now.hasLookedAt)
    if (left.nonEmpty) load()
    left
  }

  /** Whether more footers may be added. */
  def hasRoom: Boolean = now.hasRoom

  /** Drops the footers of other files, also of those that are stored, which makes room for more. */
  def keepOnly(files: Seq[FileSlice]): Unit = {
    load()
    become(now.only(files))
  }

  /** Adds the footers of base files.
    * @param footers None for a footer that cannot be judged */
  def keep(footers: Seq[(FileSlice, Option[ShortFooter])]): Unit = become(now.grown(footers))

  /** Stores what is known of files.
    * Errors: those of [[StoredFooters.write]]. */
  def store(files: Seq[FileSlice]): Unit = StoredFooters.write(timeline, table, now.only(files))

  private def load(): Unit =
    if (!now.isLoaded) StoredFooters.read(timeline, table).foreach { stored =>
      val all = stored.foldLeft(now) { case (known, (file, footer)) =>
        known.added(file, Some(footer))
      }
      become(all.copy(isLoaded = true))
    }

  private def become(next: TableFooters): Unit = {
    now = next
    tables.put(key, next)
  }
}

private object KnownFooters {

  /** Known footers, by location and uuid of the table. */
  private val tables = new SoftCache[(String, String), TableFooters]
}
