package hudilite.verify

import org.apache.hadoop.fs.Path

import hudilite.format.{BaseFileName, PartitionPath, TableConfig}
import hudilite.io.{FileEntry, Storage}
import hudilite.view.{DataFile, PartitionMetafile}

/** One folder of a table, with its listing.
  * @param path     relative to the table, "" for the table's own folder
  * @param level    number of folders above it within the table
  * @param entries  its files and folders
  * @param isBottom whether no partition can be deeper
  * @param config   hoodie.properties of the table */
private[verify] final class Folder(
    val path: String,
    val level: Int,
    val entries: Seq[FileEntry],
    val isBottom: Boolean,
    config: TableConfig
) {

  /** Whether stock Hudi sees a partition here. */
  def hasMetafile: Boolean = entries.exists(e => PartitionMetafile.isName(e.name))

  /** Files of any origin, without those whose name begins with a dot. */
  def files: Seq[FileEntry] = entries.filter(e => !e.isDirectory && !e.name.startsWith("."))

  /** Log files in it. */
  def logs: Seq[DataFile] = DataFile.all(entries, path).filter(_.isLog)

  /** Folders in it that may belong to a partition. */
  def folders: Seq[FileEntry] =
    entries.filter(e => e.isDirectory && PartitionPath.mayBePart(e.name, config))

  /** Returns the path of a file or folder in it, relative to the table. */
  def place(name: String): String = BaseFileName.place(path, name)
}

private[verify] object Folder {

  /** Maximum number of levels. A table without URL encoding writes a `/` in a value as it is, so
    * there may be many levels, and links may form cycles. */
  private val deepest = 32

  /** Returns all folders of a table that may contain base files. The search is that of readers, see
    * `Partitions`, but also finds folders without a metafile. */
  def all(storage: Storage, basePath: Path, config: TableConfig): Seq[Folder] = {
    val fields = config.partitionFields.length
    def below(path: String, level: Int): Seq[Folder] = {
      val entries = storage.list(Storage.resolve(basePath, path))
      val hasMetafile = entries.exists(e => PartitionMetafile.isName(e.name))
      val isBottom = level >= fields && (config.urlEncode || fields == 0 || hasMetafile)
      val folder = new Folder(path, level, entries, isBottom, config)
      if (isBottom || level == deepest) Seq(folder)
      else folder +: folder.folders.flatMap(e => below(folder.place(e.name), level + 1))
    }
    below("", 0)
  }

  /** Whether a folder of this level may contain rows of the table. */
  def mayHoldRows(folder: Folder, config: TableConfig): Boolean =
    folder.level >= config.partitionFields.length
}
