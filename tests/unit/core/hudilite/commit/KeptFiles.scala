package hudilite.commit

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.fs.Path

import hudilite.format.{HFile, LogBlock, TableConfig}
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.timeline.{FilesPartition, FilesRecords, Timeline, TimelineFiles}
import hudilite.view.TestTable

/** Tables of version 9 that keep the list of files in the metadata table of stock Hudi. */
object KeptFiles {
  val keep: (String, String) = TableConfig.Key.metadata -> TableConfig.Key.keepFiles
  private val first = "00000000000000000"

  /** Bytes of a file of stock Hudi. */
  def stock(name: String): Array[Byte] =
    getClass.getResourceAsStream(s"/stock-1.2.0/$name").readAllBytes

  /** Schema of the records, as stock Hudi wrote it. */
  lazy val schema: String =
    LogBlock.read(stock("files-block.log"), "stock").head.schema.get

  /** Puts the metadata table of an empty table beside one, as stock Hudi's first write does. */
  def plant(base: Path): Unit = {
    val content = HFile.bytes(
      FilesRecords.of(schema, base).encode(Map.empty),
      Seq("schema" -> schema.getBytes(UTF_8)),
      0
    )
    put(base, s"files/files-0000-0_0-271-749_$first.hfile", content)
    put(base, "files/.hoodie_partition_metadata", Array.emptyByteArray)
    Seq("column_stats/x", "partition_stats/x", "secondary_index_v/x")
      .foreach(put(base, _, Array.emptyByteArray))
    Seq(s"$first.deltacommit.requested", s"$first.deltacommit.inflight")
      .foreach(name => put(base, s".hoodie/timeline/$name", Array.emptyByteArray))
    put(base, s".hoodie/timeline/${first}_20200101000000000.deltacommit", TempFolder.bytes("x"))
    MetadataFolders.set(base, keep,
      TableConfig.Key.metadataPartitions -> MetadataFolders.partitions)
  }

  def put(base: Path, file: String, bytes: Array[Byte]): Unit = {
    val path = Storage.resolve(base, s".hoodie/metadata/$file")
    LocalStorage.delete(path)
    LocalStorage.createNew(path, bytes): Unit
  }

  /** Leaves the list of files alone, as a writer of stock Hudi does that keeps no statistics. */
  def dropOthers(base: Path): Unit = {
    MetadataFolders.set(base, TableConfig.Key.metadataPartitions -> FilesPartition.name)
    Seq("column_stats", "partition_stats", "secondary_index_v")
      .foreach(name => LocalStorage.deleteTree(Storage.resolve(base, s".hoodie/metadata/$name")))
  }

  /** Names in a folder of the metadata table. */
  def names(base: Path, folder: String = ""): Set[String] =
    TempFolder.names(Storage.resolve(base, s".hoodie/metadata/$folder"))

  /** Names of the log files that writes of hudilite have added. */
  def blocks(base: Path): Seq[String] =
    names(base, FilesPartition.name).filter(_.endsWith("_0-1-0")).toSeq.sorted

  /** Files that a commit creates after its number, in order.
    * @param time       instant of the commit
    * @param completion time of its completion */
  def created(time: String, completion: String): Vector[String] = {
    val timeline = s".hoodie/metadata/.hoodie/timeline/$time"
    Vector(
      s"$timeline.deltacommit.requested",
      s"$timeline.deltacommit.inflight",
      s".hoodie/metadata/files/.files-0000-0_$time.log.1_0-1-0",
      s"${timeline}_$completion.deltacommit",
      s".hoodie/timeline/${time}_$completion.commit"
    )
  }

  /** Files that readers of the metadata table see. */
  def listing(base: Path): Map[String, Map[String, Long]] = {
    val files = TimelineFiles.of(LocalStorage, base)
    new FilesPartition(files).listing(Timeline.named(files))
  }

  /** Base files in the folder of the one partition. */
  def there(base: Path): Map[String, Map[String, Long]] = {
    val folder = Storage.resolve(base, TestTable.partition)
    val files = LocalStorage.list(folder).filter(_.name.endsWith(".parquet"))
    Map(TestTable.partition -> files.map(e => e.name -> e.length).toMap).filter(_._2.nonEmpty)
  }

  /** States of a metadata table that hudilite cannot keep: their kind, what makes one, and words of the
    * reason that is told. */
  val damages: Seq[(String, TestTable => Unit, String)] = Seq[(String, TestTable => Unit, String)](
    (
      "unreadable block",
      t => put(t.base, s"files/${blocks(t.base).last}", TempFolder.bytes("#HUDI# no")),
      "it declares"
    ),
    (
      "second file group",
      t => put(t.base, "files/.files-0001-0_20200101000000000.log.1_0-0-0", Array.emptyByteArray),
      "contains files-0001-0"
    ),
    (
      "file of another kind",
      t => put(t.base, "files/files-0000-0.lance", Array.emptyByteArray),
      "contains files-0000-0.lance"
    ),
    (
      "pending action",
      t =>
        put(t.base, ".hoodie/timeline/20200101000000000.compaction.requested",
          Array.emptyByteArray),
      "its compaction 20200101000000000 is pending"
    ),
    (
      "timeline elsewhere",
      t => {
        LocalStorage.deleteTree(Storage.resolve(t.base, ".hoodie/metadata/.hoodie"))
        ()
      },
      "its timeline is not known"
    ),
    (
      "list that is not built",
      t => MetadataFolders.set(t.base, "hoodie.table.metadata.partitions" -> "column_stats"),
      "its partition files is not there"
    )
  )

  def use[A](test: TestTable => A): A = TestTable.useVersion9 { table =>
    plant(table.base)
    test(table)
  }
}
