package hudilite.view

import org.apache.hadoop.fs.Path

import hudilite.format.HFile
import hudilite.io.Storage
import hudilite.timeline.{Instant, Timeline, TimelineLayout}

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
  def folder(basePath: Path): Path =
    Storage.resolve(basePath, TimelineLayout.current.bootstrapIndex)

  /** Whether a table has both HFiles. Stock Hudi, too, treats a single one as no index. */
  def exists(storage: Storage, basePath: Path): Boolean =
    Seq(byPartition(basePath), byFileId(basePath)).forall(storage.status(_).nonEmpty)

  /** Returns the bootstrap source files of a partition's bootstrapped file groups, by file id.
    * @param partition relative partition path, "" when the table has none
    * @return an empty map if the index has no entry for the partition
    * Errors: HUDILITE_MISSING_FILE without an index, HUDILITE_CORRUPT_TIMELINE,
    * HUDILITE_LIMIT_EXCEEDED. */
  def partition(storage: Storage, basePath: Path, partition: String): Map[String, SourceFile] =
    open(storage, basePath)(partition)

  /** Reads the index once, for lookups like [[partition]] in any number of partitions. Errors as
    * there. */
  def open(storage: Storage, basePath: Path): String => Map[String, SourceFile] = {
    val path = byPartition(basePath)
    val file = HFile.read(storage.read(path), path.toString)
    partition =>
      file
        .find(partitionKey(partition))
        .fold(Map.empty[String, SourceFile])(BootstrapRecords.sources(_, partition, path))
  }

  /** Returns the whole index: the path of the bootstrap source, and the partitions in the order of
    * the bytes of their paths.
    * Errors: HUDILITE_MISSING_FILE without an index, HUDILITE_CORRUPT_TIMELINE,
    * HUDILITE_LIMIT_EXCEEDED. */
  def mapping(storage: Storage, basePath: Path): (Path, Seq[BootstrapPartition]) = {
    val path = byPartition(basePath)
    val file = HFile.read(storage.read(path), path.toString)
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
      storage: Storage,
      basePath: Path,
      sourceBase: Path,
      partitions: Seq[BootstrapPartition],
      created: Long
  ): Unit = {
    def put(path: Path, entries: Seq[(String, Array[Byte])]): Unit = {
      val about = info -> BootstrapRecords.index(sourceBase, created, entries.size)
      val bytes = HFile.bytes(entries, Seq(about), created)
      if (!storage.createNew(path, bytes) && !java.util.Arrays.equals(storage.read(path), bytes))
        throw Timeline.corrupt(path, "it is the index of another bootstrap")
    }
    put(
      byFileId(basePath),
      for (of <- partitions; (id, source) <- of.files.toSeq)
        yield s"${partitionKey(of.partition)};fileid=$id" -> BootstrapRecords.file(of, source)
    )
    put(
      byPartition(basePath),
      partitions.map(of => partitionKey(of.partition) -> BootstrapRecords.partition(of))
    )
  }

  private def partitionKey(partition: String): String = s"part=$partition"

  private def byPartition(basePath: Path): Path = path(basePath, ".partitions")

  private def byFileId(basePath: Path): Path = path(basePath, ".fileids")

  private def path(basePath: Path, by: String): Path =
    Storage.resolve(folder(basePath), s"$by/$name")
}
