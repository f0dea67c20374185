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

  def list(
      storage: Storage,
      basePath: Path,
      config: TableConfig,
      keep: Seq[Option[String]] => Boolean
  ): Seq[String] = {
    val fields = config.partitionFields
    def isKept(partition: String): Boolean =
      PartitionPath.decode(partition, config).forall(keep)
    def below(folder: String, level: Int): Seq[String] =
      if (level == fields.length && config.urlEncode && !isKept(folder)) Seq.empty
      else if (level >= fields.length && PartitionMetafile.exists(storage, basePath, folder))
        Seq(folder).filter(isKept)
      else
        storage
          .list(Storage.resolve(basePath, folder))
          .filter(e => e.isDirectory && !e.name.startsWith("."))
          .flatMap(e => below(if (folder.isEmpty) e.name else s"$folder/${e.name}", level + 1))
    if (fields.isEmpty) Seq("") else below("", 0).distinct.sorted
  }
}
