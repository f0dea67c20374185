package hudilite.view

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path => LocalPath, Paths}

import org.apache.hadoop.fs.Path

import hudilite.commit.CommitRecord
import hudilite.format.{BaseFileName, FileId, TableConfig}
import hudilite.io.{LocalStorage, Storage}
import hudilite.timeline.{CommitChecksum, FileGroupRef, Instant, TimelineFiles}

/** A table whose timeline is written directly, so that long histories take little time.
  * @param archived number of commits that have a number but no file on the timeline */
final class LongHistory(dir: Path, archived: Int) {

  /** Location of the table. */
  val base: Path = Storage.resolve(dir, "t")

  private var files = TimelineFiles.of(LocalStorage, base)
  private val numbers = folder(files.layout.commits)
  private val timeline = folder(files.layout.timeline)
  private val partition = folder(TestTable.partition)
  private var number = 0
  private var copies = 0
  Files.write(local(files.layout.properties), TableConfig.render(TestTable.facts))
  LocalStorage.createNew(
    Storage.resolve(base, s"${TestTable.partition}/.hoodie_partition_metadata"),
    "commitTime=1\npartitionDepth=1\n".getBytes(UTF_8)
  )
  (1 to archived).foreach(_ => numbered(CommitRecord.Commit, Instant.commit, "{}"))

  def commit(): Instant = {
    val at = instant(number + 1)
    val id =
      FileId.bucket(TestTable.facts.uuid, TestTable.partition, number % LongHistory.buckets, "")
    val name = BaseFileName(id, "0-1-0", at).text
    Files.writeString(partition.resolve(name), "rows")
    val stat = TestTable.stat(id, s"${TestTable.partition}/$name", None, 4)
    val json = TestTable.metadata(Seq(stat)).toJson
    numbered(CommitRecord.Commit, Instant.commit, json)
    val made = Instant(at, Instant.commit, Instant.Completed)
    put(made, json)
    made
  }

  /** Changes the time of a commit's file, as a rewrite of it does. */
  def change(completed: Instant): Unit = {
    val file = timeline.resolve(files.layout.fileName(completed)).toFile
    assert(file.setLastModified(file.lastModified - 5000))
  }

  def delete(slice: FileSlice): Unit = Files.delete(partition.resolve(slice.fileName))

  /** Hides a file group, and returns the replacecommit. */
  def replace(slice: FileSlice): Instant = {
    val metadata = TestTable.metadata(Nil)
      .copy(replacedFileIds = Map(slice.partition -> Seq(slice.fileId)))
    numbered(CommitRecord.Commit, Instant.replaceCommit, metadata.toJson)
    val made = Instant(instant(number), Instant.replaceCommit, Instant.Completed)
    put(made, metadata.toJson)
    made
  }

  def undo(completed: Instant): Unit =
    Files.delete(timeline.resolve(files.layout.fileName(completed)))

  /** Takes a number for an instant that never completes, and returns it. */
  def aborted(): String = {
    numbered(CommitRecord.Abort, Instant.commit, "")
    instant(number)
  }

  def load(): TableSnapshot = {
    fresh()
    TableSnapshot.load(files, TestTable.facts)
  }

  def slices(): Seq[FileSlice] =
    load().slices(TestTable.partition)
      .map(s => s.copy(base = SliceBase.BaseFile(new Path(s.fileName), s.length)))

  /** Stores a checkpoint of all commits. */
  def stored(): Unit =
    TableSnapshot.load(TimelineFiles.of(LocalStorage, base), TestTable.facts).storeCheckpoint()

  def checkpoints: Seq[LocalPath] = {
    val found = numbers.toFile.listFiles.toSeq.map(_.toPath)
    found.filter(_.toString.endsWith(".checkpoint"))
  }

  /** Cost of a load of the table by a path that nothing has cached. */
  def cost(): LoadCost = {
    fresh()
    costAgain()
  }

  /** Cost of a load of the table by the path that was used last. */
  def costAgain(): LoadCost = LoadCost.of(files.basePath).cost

  /** Reaches the table by another path, so that nothing of it is cached. */
  private def fresh(): Unit = {
    copies += 1
    val link = local("").resolveSibling(s"t$copies")
    Files.createSymbolicLink(link, local(""))
    files = TimelineFiles.of(LocalStorage, Storage.resolve(dir, s"t$copies"))
  }

  private def numbered(kind: CommitRecord.Kind, action: String, json: String): Unit = {
    number += 1
    val record =
      CommitRecord(kind, instant(number), action, "w", Set.empty[FileGroupRef], Some(json))
    Files.writeString(numbers.resolve(f"$number%020d"), record.toJson)
    val folders = Seq(numbers, local(files.layout.recentCommits)).filter(Files.exists(_))
    folders.foreach(f => Files.createFile(f.resolve(f"$number%020d-${instant(number)}")))
  }

  private def instant(n: Int): String = f"20240101${n}%09d"
  private def put(of: Instant, json: String): Unit =
    Files.write(
      timeline.resolve(files.layout.fileName(of)),
      files.codec.encodeCommit(json, of.action, files.path(of))
    ): Unit
  private def local(relative: String): LocalPath =
    Paths.get(Storage.resolve(base, relative).toUri.getPath)
  private def folder(relative: String): LocalPath = Files.createDirectories(local(relative))
}

object LongHistory {

  /** Number of buckets that the commits write in turn. */
  val buckets = 4

  /** Returns a change of a file's text as a change of the file. */
  def rewritten(change: String => String)(file: LocalPath): LocalPath =
    Files.writeString(file, change(Files.readString(file)))

  /** A change of a checkpoint's text that keeps its checksum right. */
  def resealed(change: String => String)(text: String): String = {
    val blank = text.replaceFirst("(\"hudilite.checksum\" : \")[0-9a-f]{8}", "$100000000")
    CommitChecksum.put(change(blank))
  }

  /** The text of a checkpoint, with the uuid of another table. */
  def ofAnotherTable(text: String): String =
    resealed(_.replace(TestTable.facts.uuid, "other"))(text)
}
