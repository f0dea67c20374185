package hudilite.view

import java.nio.file.Files

import org.apache.hadoop.fs.Path

import hudilite.format.TableConfig
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.timeline.{CommitMetadata, StockCommits, TimelineFiles, WriteStat}

/** A table of version 8 or 9 as stock Hudi leaves it on disk, made by hand. Its base files hold plain
  * text instead of Parquet.
  * @param version  value of hoodie.table.version
  * @param metadata value of hoodie.table.metadata.partitions */
final class StockTable(val base: Path, version: String = "9", metadata: String = "") {
  private val facts = Map(
    "hoodie.table.name" -> "t",
    "hoodie.table.type" -> "COPY_ON_WRITE",
    "hoodie.table.version" -> version,
    "hoodie.timeline.layout.version" -> "2",
    "hoodie.table.initial.version" -> version,
    "hoodie.timeline.path" -> "timeline",
    "hoodie.timeline.history.path" -> "history",
    "hoodie.table.recordkey.fields" -> "k",
    "hoodie.table.partition.fields" -> "p",
    "hoodie.table.keygenerator.type" -> "SIMPLE",
    "hoodie.table.timeline.timezone" -> "UTC",
    "hoodie.record.merge.mode" -> "EVENT_TIME_ORDERING",
    "hoodie.datasource.write.hive_style_partitioning" -> "true",
    "hoodie.table.multiple.base.file.formats.enable" -> "false",
    "hoodie.table.metadata.partitions" -> metadata
  )

  TempFolder.write(
    at(".hoodie/hoodie.properties"),
    facts.map { case (key, value) => s"$key=$value\n" }.mkString
  )
  Files.createDirectories(TempFolder.local(at(".hoodie/timeline/history")))

  /** The table as a reader opens it. */
  def opened: (TimelineFiles, TableConfig) = {
    val table = TimelineFiles.open(LocalStorage, base)
    (table.files, table.config)
  }

  def snapshot: TableSnapshot = {
    val (files, config) = opened
    TableSnapshot.load(files, config)
  }

  /** Path of a file in the table. */
  def at(place: String): Path = Storage.resolve(base, place)

  /** Writes a file into the timeline. */
  def put(name: String, bytes: Array[Byte] = Array.emptyByteArray): Unit =
    Files.write(TempFolder.local(at(s".hoodie/timeline/$name")), bytes): Unit

  /** Writes a base file with its file id as content.
    * @return the entry of the commit that wrote it */
  def file(time: String, fileId: String, partition: String = "p=a"): WriteStat = {
    val place = s"$partition/${fileId}_0-1-0_$time.parquet"
    TempFolder.write(at(place), s"$fileId at $time")
    TempFolder.write(at(s"$partition/${PartitionMetafile.fileName}"), "partitionDepth=1\n")
    val length = Files.size(TempFolder.local(at(place)))
    WriteStat(fileId, place, WriteStat.noCommit, None, partition, 1, 1, 0, 0, length, length)
  }

  /** Commits one file for each file id, all in one partition. */
  def commit(time: String, completion: String, fileIds: String*): Unit =
    put(
      s"${time}_$completion.commit",
      StockCommits.file(StockTable.metadata(fileIds.map(file(time, _))))
    )

  /** Commits one file, which replaces file groups. */
  def replace(time: String, completion: String, fileId: String, replaced: String*): Unit =
    put(
      s"${time}_$completion.replacecommit",
      StockCommits.file(
        StockTable.metadata(Seq(file(time, fileId)))
          .copy(replacedFileIds = Map("p=a" -> replaced))
      )
    )

  /** Contents of the base files that a snapshot shows. */
  def rows(of: TableSnapshot = snapshot): Set[String] =
    of.allSlices.map(slice => TempFolder.text(slice.path)).toSet
}

object StockTable {
  def metadata(stats: Seq[WriteStat]): CommitMetadata =
    CommitMetadata("UPSERT", TestTable.schema, stats)

  def use[A](test: StockTable => A): A =
    TempFolder.use(dir => test(new StockTable(Storage.resolve(dir, "t"))))
}
