package hudilite.verify

import org.apache.hadoop.fs.Path

import hudilite.format.{BaseFileName, TableConfig}
import hudilite.io.{FileEntry, Storage}
import hudilite.view.PartitionMetafile

/** One folder of a table and what lies in it.
  * @param path     relative to the table, "" for the table's own
  * @param level    folders above it within the table
  * @param entries  its files and folders
  * @param isBottom whether partitions lie no deeper */
private[verify] final class Folder(
    val path: String,
    val level: Int,
    val entries: Seq[FileEntry],
    val isBottom: Boolean
) {

  /** Whether stock Hudi sees a partition here. */
  def hasMetafile: Boolean = entries.exists(e => e.name == PartitionMetafile.fileName)

  /** Files that anybody may have put here, without those that begin with a dot. */
  def files: Seq[FileEntry] = entries.filter(e => !e.isDirectory && !e.name.startsWith("."))

  /** Folders below, without those that begin with a dot. */
  def folders: Seq[FileEntry] = entries.filter(e => e.isDirectory && !e.name.startsWith("."))

  /** Path of something in it. */
  def place(name: String): String = BaseFileName.place(path, name)
}

private[verify] object Folder {

  /** A table without URL encoding writes the `/` in a value as it is; links may run in circles. */
  private val deepest = 32

  /** All folders of a table in which base files may lie. They are looked for as readers do, see
    * `Partitions`, but one without a metafile is found too. */
  def all(storage: Storage, basePath: Path, config: TableConfig): Seq[Folder] = {
    val fields = config.partitionFields.length
    def below(path: String, level: Int): Seq[Folder] = {
      val entries = storage.list(Storage.resolve(basePath, path))
      val hasMetafile = entries.exists(_.name == PartitionMetafile.fileName)
      val isBottom = level >= fields && (config.urlEncode || fields == 0 || hasMetafile)
      val folder = new Folder(path, level, entries, isBottom)
      if (isBottom || level == deepest) Seq(folder)
      else folder +: folder.folders.flatMap(e => below(folder.place(e.name), level + 1))
    }
    below("", 0)
  }

  /** Whether a table's rows may lie in a folder of this level. */
  def mayHoldRows(folder: Folder, config: TableConfig): Boolean =
    folder.level >= config.partitionFields.length
}
