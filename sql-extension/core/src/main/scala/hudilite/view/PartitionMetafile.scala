package hudilite.view

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.fs.Path

import hudilite.io.Storage

/** The file `.hoodie_partition_metadata` of a partition's folder. Without it stock Hudi does not
  * see the partition. It is written once and never changes.
  * Source: hudi-format §4.3. */
object PartitionMetafile {
  val fileName = ".hoodie_partition_metadata"

  /** Writes the metafile if it is absent. Must run before the commit.
    * @param partition relative partition path, "" when the table has none
    * @param instant   commit that creates the partition
    * @param depth     number of levels of the path */
  def write(
      storage: Storage,
      basePath: Path,
      partition: String,
      instant: String,
      depth: Int
  ): Unit =
    storage.createNew(
      path(basePath, partition),
      s"#partition metadata\ncommitTime=$instant\npartitionDepth=$depth\n".getBytes(UTF_8)
    ): Unit

  /** Whether a folder is a partition, which means that it has a metafile. */
  def exists(storage: Storage, basePath: Path, partition: String): Boolean =
    storage.exists(path(basePath, partition))

  private def path(basePath: Path, partition: String): Path =
    Storage.resolve(Storage.resolve(basePath, partition), fileName)
}
