package hudilite.view

import org.apache.hadoop.fs.{GlobPattern, Path}

import hudilite.format.{PartitionPath, TableConfig}
import hudilite.io.{Requests, Storage}

/** Finds a table's partitions: the folders with a partition metafile, as stock Hudi does. A
  * partition may be deeper than the number of partition columns, because a table without URL
  * encoding writes a `/` in a value as it is.
  * @param isWritten whether a commit has written to a folder: then it is a partition
  * Source: hudi-format §4.3. */
final private[view] class Partitions(
    storage: Storage,
    basePath: Path,
    config: TableConfig,
    isWritten: String => Boolean
) {
  private val fields = config.partitionFields

  /** Returns the relative paths of the partitions, sorted; parameters as of
    * [[TableSnapshot.partitions]]. */
  def list(
      keep: Seq[Option[String]] => Boolean,
      below: Seq[Option[String]] => Boolean
  ): Seq[String] = {
    def isKept(partition: String): Boolean =
      PartitionPath.decode(partition, config).forall(keep)
    def isExcluded(folder: String, level: Int): Boolean =
      if (!config.urlEncode || level == 0 || level > fields.length) false
      else if (level == fields.length) !isKept(folder)
      else !valuesOf(folder, level).forall(below)
    def found(folders: Seq[String], level: Int): Seq[String] =
      if (folders.isEmpty) Nil
      else {
        val next = Requests.of(folders)(foldersIn).flatten.filterNot(isExcluded(_, level))
        val (partitions, others) =
          if (level < fields.length) (Nil, next)
          else {
            val (here, deeper) = next.zip(Requests.of(next)(isPartition)).partition(_._2)
            (here.map(_._1), deeper.map(_._1))
          }
        partitions.filter(isKept) ++ found(others, level + 1)
      }
    if (fields.isEmpty) Seq("") else found(Seq(""), 1).distinct.sorted
  }

  private def foldersIn(folder: String): Seq[String] =
    storage.list(Storage.resolve(basePath, folder))
      .filter(e => e.isDirectory && PartitionPath.mayBePart(e.name, config))
      .map(e => if (folder.isEmpty) e.name else s"$folder/${e.name}")

  private def isPartition(folder: String): Boolean =
    isWritten(folder) || PartitionMetafile.exists(storage, basePath, folder, config)

  /** Returns the texts of the first columns; None if the folders do not have their names. */
  private def valuesOf(folder: String, level: Int): Option[Seq[Option[String]]] =
    PartitionPath.decode(folder, fields.take(level), config.hiveStyle, config.urlEncode)
}

private[view] object Partitions {

  /** Whether the first folders of a partition path have these names or match these globs. */
  def isBelow(partition: String, names: Seq[String]): Boolean = {
    val folders = partition.split("/", -1)
    names.length <= folders.length && names.zip(folders).forall { case (name, folder) =>
      name == folder || new GlobPattern(name).matches(folder)
    }
  }
}
