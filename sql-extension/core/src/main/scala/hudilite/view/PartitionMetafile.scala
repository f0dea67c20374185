package hudilite.view

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.fs.Path

import hudilite.format.TableConfig
import hudilite.io.Storage

/** The file `.hoodie_partition_metadata` of a partition's folder. Without it stock Hudi does not
  * see the partition. It is written once and never changes. In some tables, which are only read, it
  * is a Parquet file.
  * Source: hudi-format §4.3. */
object PartitionMetafile {
  val fileName = ".hoodie_partition_metadata"

  private val parquetName = s"$fileName.parquet"

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

  /** Whether a name is that of a metafile. */
  def isName(name: String): Boolean = name == fileName || name == parquetName

  /** Whether a folder is a partition, which means that it has a metafile. */
  def exists(storage: Storage, basePath: Path, partition: String, config: TableConfig): Boolean =
    storage.exists(path(basePath, partition)) || config.hasParquetMetafiles &&
      storage.exists(path(basePath, partition, parquetName))

  private def path(basePath: Path, partition: String, name: String = fileName): Path =
    Storage.resolve(Storage.resolve(basePath, partition), name)
}
