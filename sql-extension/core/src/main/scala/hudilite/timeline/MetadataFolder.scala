package hudilite.timeline

import hudilite.io.FileEntry

/** One listing of a table's metadata folder. It shows which of the folders below exist, so that an
  * absent one is not listed.
  * @param entries files and folders in the metadata folder */
final class MetadataFolder(layout: TimelineLayout, val entries: Seq[FileEntry]) {

  /** Returns the tag of the table's properties, where the store has tags. */
  def tagOfProperties: Option[String] =
    entries.find(e => s"${layout.metadata}/${e.name}" == layout.properties).flatMap(_.etag)

  /** Whether a folder may exist: its first part below the metadata folder does.
    * @param folder path of the layout, relative to the table */
  def mayHave(folder: String): Boolean = {
    val first = folder.stripPrefix(s"${layout.metadata}/").takeWhile(_ != '/')
    entries.exists(_.name == first)
  }
}
