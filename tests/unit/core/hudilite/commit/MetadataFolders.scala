package hudilite.commit

import org.apache.hadoop.fs.Path

import hudilite.format.TableConfig
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.timeline.TimelineFiles

/** Metadata tables of stock Hudi beside a table: their folders and the properties that name them. */
object MetadataFolders {
  val partitions = "column_stats,files,partition_stats"
  private val key = TableConfig.Key.metadataPartitions

  /** Puts one beside a table, as stock Hudi's first write does. */
  def plant(base: Path, names: String = partitions, inflight: String = ""): Unit = {
    Seq("files/.files-0000-0_1.log.1_0-1-0", "secondary_index_v/x", "expr_index_v/x", ".hoodie/x")
      .foreach(file => TempFolder.write(at(base, file), "x"))
    TempFolder.write(Storage.resolve(base, ".hoodie/.index_defs/index.json"), "{}")
    set(base, key -> names, TableConfig.Key.metadataInflight -> inflight)
  }

  /** Changes properties of a table. */
  def set(base: Path, changes: (String, String)*): Unit = {
    val files = TimelineFiles.of(LocalStorage, base)
    val changed = TableConfig(files.config().properties ++ changes)
    LocalStorage.replace(files.properties, TableConfig.render(changed))
  }

  /** What readers are told of it. */
  def named(base: Path): String =
    TimelineFiles.of(LocalStorage, base).config().metadataPartitions.mkString(",")

  def exists(base: Path): Boolean =
    LocalStorage.status(Storage.resolve(base, ".hoodie/metadata")).nonEmpty

  private def at(base: Path, file: String): Path =
    Storage.resolve(base, s".hoodie/metadata/$file")
}
