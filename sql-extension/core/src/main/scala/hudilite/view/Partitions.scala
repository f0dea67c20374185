package hudilite.view

import org.apache.hadoop.fs.{GlobPattern, Path}

import hudilite.format.{PartitionPath, TableConfig}
import hudilite.io.Storage

/** Finds a table's partitions: the folders with a partition metafile, as stock Hudi does. A
  * partition may be deeper than the number of partition columns, because a table without URL
  * encoding writes a `/` in a value as it is. Source: hudi-format §4.3. */
private[view] object Partitions {

  /** Whether the first folders of a partition path have these names or match these globs. */
  def isBelow(partition: String, names: Seq[String]): Boolean = {
    val folders = partition.split("/", -1)
    names.length <= folders.length && names.zip(folders).forall { case (name, folder) =>
      name == folder || new GlobPattern(name).matches(folder)
    }
  }

  /** Returns the relative paths of the partitions, sorted.
    * @param isWritten whether a commit has written to a folder: then it is a partition
    * @param keep      filter on the texts of the partition columns, None for a null */
  def list(storage: Storage, basePath: Path, config: TableConfig, isWritten: String => Boolean)(
      keep: Seq[Option[String]] => Boolean
  ): Seq[String] = {
    val fields = config.partitionFields
    def isKept(partition: String): Boolean =
      PartitionPath.decode(partition, config).forall(keep)
    def isPartition(folder: String): Boolean =
      isWritten(folder) || PartitionMetafile.exists(storage, basePath, folder, config)
    def below(folder: String, level: Int): Seq[String] =
      if (level == fields.length && config.urlEncode && !isKept(folder)) Seq.empty
      else if (level >= fields.length && isPartition(folder)) Seq(folder).filter(isKept)
      else
        storage
          .list(Storage.resolve(basePath, folder))
          .filter(e => e.isDirectory && !e.name.startsWith("."))
          .flatMap(e => below(if (folder.isEmpty) e.name else s"$folder/${e.name}", level + 1))
    if (fields.isEmpty) Seq("") else below("", 0).distinct.sorted
  }
}
