package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.format.HFile
import hudilite.io.Storage
import hudilite.timeline.{Instant, Timeline, TimelineFiles}

/** Hudi's bootstrap index, which maps each skeleton to its bootstrap source file. It consists of
  * two HFiles, one keyed by partition and one by file id. Both exist before the bootstrap commits
  * and never change.
  * Source: hudi-format §8.4. */
object BootstrapIndex {

  /** Instant of a metadata-only bootstrap, which leaves the data in the source files. */
  val instant: String = Instant.bootstrap

  private val name = s"00000000-0000-0000-0000-000000000000-0_1-0-1_$instant.hfile"
  private val info = "INDEX_INFO"

  /** Whether a slice's base file is a skeleton: a file with only the meta columns. */
  def isSkeleton(slice: FileSlice): Boolean = slice.instant == instant

  /** Returns the folder of the index. */
  def folder(table: TimelineFiles): Path = table.at(table.layout.bootstrapIndex)

  /** Whether a table has both HFiles. Stock Hudi, too, treats a single one as no index. */
  def exists(table: TimelineFiles): Boolean =
    Seq(byPartition(table), byFileId(table)).forall(table.storage.status(_).nonEmpty)

  /** Returns the bootstrap source files of a partition's bootstrapped file groups, by file id.
    * @param partition relative partition path, "" when the table has none
    * @return an empty map if the index has no entry for the partition
    * Errors: HUDILITE_MISSING_FILE without an index, HUDILITE_CORRUPT_TIMELINE,
    * HUDILITE_LIMIT_EXCEEDED. */
  def partition(table: TimelineFiles, partition: String): Map[String, SourceFile] =
    open(table)(partition)

  /** Reads the index once, for lookups like [[partition]] in any number of partitions. Errors as
    * there. */
  def open(table: TimelineFiles): String => Map[String, SourceFile] = {
    val path = byPartition(table)
    val file = HFile.read(table.storage.read(path), path.toString)
    partition =>
      file
        .find(partitionKey(partition))
        .fold(Map.empty[String, SourceFile])(BootstrapRecords.sources(_, partition, path))
  }

  /** Returns the whole index: the path of the bootstrap source, and the partitions in the order of
    * the bytes of their paths.
    * Errors: HUDILITE_MISSING_FILE without an index, HUDILITE_CORRUPT_TIMELINE,
    * HUDILITE_LIMIT_EXCEEDED. */
  def mapping(table: TimelineFiles): (Path, Seq[BootstrapPartition]) = {
    val path = byPartition(table)
    val file = HFile.read(table.storage.read(path), path.toString)
    val about =
      file.info.getOrElse(info, throw Timeline.corrupt(path, s"its file info lacks $info"))
    val partitions = file.entries.map { case (key, bytes) =>
      BootstrapRecords.read(bytes, key.stripPrefix(partitionKey("")), path)
    }
    (BootstrapRecords.sourceBase(about, path), partitions)
  }

  /** Writes both HFiles if they are absent. Must run before the bootstrap commits. The HFile that
    * [[partition]] reads is written last.
    * @param sourceBase path of the bootstrap source
    * @param partitions each once
    * @param created    milliseconds since 1970
    * Errors: HUDILITE_CORRUPT_TIMELINE if a different index exists. */
  def write(
      table: TimelineFiles,
      sourceBase: Path,
      partitions: Seq[BootstrapPartition],
      created: Long
  ): Unit = {
    def put(path: Path, entries: Seq[(String, Array[Byte])]): Unit = {
      val about = info -> BootstrapRecords.index(sourceBase, created, entries.size)
      val bytes = HFile.bytes(entries, Seq(about), created)
      def isSame = java.util.Arrays.equals(table.storage.read(path), bytes)
      if (!table.storage.createNew(path, bytes) && !isSame)
        throw Timeline.corrupt(path, "it is the index of another bootstrap")
    }
    put(
      byFileId(table),
      for (of <- partitions; (id, source) <- of.files.toSeq)
        yield s"${partitionKey(of.partition)};fileid=$id" -> BootstrapRecords.file(of, source)
    )
    put(
      byPartition(table),
      partitions.map(of => partitionKey(of.partition) -> BootstrapRecords.partition(of))
    )
  }

  private def partitionKey(partition: String): String = s"part=$partition"

  private def byPartition(table: TimelineFiles): Path = path(table, ".partitions")

  private def byFileId(table: TimelineFiles): Path = path(table, ".fileids")

  private def path(table: TimelineFiles, by: String): Path =
    Storage.resolve(folder(table), s"$by/$name")
}
