package hudilite.timeline

import java.nio.charset.StandardCharsets.UTF_8

import scala.annotation.tailrec
import scala.collection.concurrent.TrieMap

import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.io.Storage

/** Archive of table versions 8 and 9: Parquet files, and numbered manifests of which each lists all
  * files that count. The file `_version_` contains the number of the newest manifest. This class
  * adds files of the first layer and never merges them; stock Hudi does so when it archives.
  * @param folder folder of these files
  * Source: table-versions §1.11. */
private[timeline] final class History(files: TimelineFiles, folder: Path) extends TimelineArchive {
  import History._

  private val storage = files.storage

  override def isEmpty: Boolean = !storage.names(folder).exists(manifest.matches)

  private lazy val current = listed(manifests)
  private val completions = TrieMap.empty[String, Map[String, String]]

  override def completion(instant: String): Option[String] = current.iterator
    .filter(_.mayHave(instant))
    .flatMap(entry => completions.getOrElseUpdate(entry.name, completionsIn(entry)).get(instant))
    .nextOption()

  override def writes(after: String, before: String): Iterator[String] =
    current.iterator.filter(_.mayHaveBetween(after, before)).flatMap(actionsIn).collect {
      case (time, action) if Instant.writes(action) && after < time && time < before => time
    }

  private def completionsIn(entry: Entry): Map[String, String] =
    HistoryFile.completions(content(entry), fileOf(entry))

  private def actionsIn(entry: Entry) = HistoryFile.actions(content(entry), fileOf(entry))

  /** Returns the content of a file, which may be large: stock Hudi merges files. */
  private def content(entry: Entry): Array[Byte] =
    storage.readListed(fileOf(entry), entry.length, Storage.maxArrayBytes)

  private def fileOf(entry: Entry): Path = Storage.resolve(folder, entry.name)

  @tailrec override def add(actions: Seq[DoneAction]): Unit = {
    val found = manifests
    val before = listed(found)
    val known = before.filter(_.last >= actions.head.time).flatMap(actionsIn).toSet
    val fresh = actions.filterNot(of => known(of.time -> of.completed.action))
    if (fresh.nonEmpty) {
      val version = found.numbers.lastOption.getOrElse(0) + 1
      val added = write(fresh)
      val isMine = storage.createNew(path(version), render(before :+ added).getBytes(UTF_8))
      if (!isMine) add(actions) // another process has added a manifest
      else {
        storage.replace(Storage.resolve(folder, newest), version.toString.getBytes(UTF_8))
        storage.deleteAll(found.numbers.dropRight(keptManifests - 1))(path): Unit
      }
    }
  }

  private def manifests: Manifests = {
    val names = storage.names(folder)
    Manifests(
      names.collect { case manifest(n) => n }.flatMap(_.toIntOption).sorted,
      if (names.contains(newest)) versionIn(Storage.resolve(folder, newest)) else 0
    )
  }

  /** Returns the files that the newest manifest lists. */
  private def listed(of: Manifests): Vector[Entry] =
    of.numbers.reverseIterator.flatMap(read(_, of.stated)).nextOption().getOrElse(Vector.empty)

  /** Creates a file with these actions. One with its name that no manifest lists was left by an
    * archival that stopped, and is replaced. */
  private def write(actions: Seq[DoneAction]): Entry = {
    val bytes = HistoryFile.bytes(actions.map(rowOf))
    val name = s"${actions.head.time}_${actions.last.time}_0.parquet"
    val file = Storage.resolve(folder, name)
    if (!storage.createNew(file, bytes)) storage.replace(file, bytes)
    Entry(name, bytes.length.toLong)
  }

  private def rowOf(of: DoneAction): HistoryFile.Row = {
    val plan = of.pending.find(_.state == Instant.Requested).map(files.read).filter(_.nonEmpty)
    HistoryFile.Row(
      of.time,
      of.completed.completion.getOrElse(of.time),
      of.completed.action,
      files.read(of.completed),
      plan.filter(_ => of.completed.action != "rollback")
    )
  }

  /** Returns the files that a manifest lists; None if it is damaged and above the stated version: its
    * writer has died, and no reader follows it.
    * Errors: HUDILITE_CORRUPT_TIMELINE for another one that is damaged: without its list, files would
    * be lost from the archive. */
  private def read(version: Int, stated: Int): Option[Vector[Entry]] =
    try {
      val root = Json.parse(storage.read(path(version)), path(version))
      Some(Json.items(root.path("files")).map { file =>
        Entry(file.path("fileName").asText, file.path("fileLen").asLong)
      })
    } catch {
      case e: HudiliteException
          if e.condition == "HUDILITE_CORRUPT_TIMELINE" && version > stated =>
        None
    }

  /** Returns the number in a file; for another text the highest one, as stock Hudi then takes the
    * highest manifest. */
  private def versionIn(file: Path): Int =
    new String(storage.read(file), UTF_8).trim.toIntOption.getOrElse(Int.MaxValue)

  private def path(version: Int): Path = Storage.resolve(folder, s"manifest_$version")
}

private object History {
  private val manifest = "manifest_([0-9]+)".r
  private val timesOf = "([0-9]+)_([0-9]+)_[0-9]+\\.parquet".r

  /** File that contains the number of the newest manifest. */
  private val newest = "_version_"

  /** Manifests that stay, for readers that have just looked at `_version_`. */
  private val keptManifests = 3

  /** Manifests in the folder.
    * @param stated number in the file `_version_`, 0 if there is none */
  private final case class Manifests(numbers: Seq[Int], stated: Int)

  /** File in a manifest. */
  private final case class Entry(name: String, length: Long) {

    /** Highest instant in the file, by its name. */
    def last: String = name match {
      case timesOf(_, last) => last
      case _ => ""
    }

    /** Whether an instant may be in the file, by its name. */
    def mayHave(instant: String): Boolean = name match {
      case timesOf(first, last) => first <= instant && instant <= last
      case _ => true
    }

    /** Whether an instant between two others may be in the file, by its name. */
    def mayHaveBetween(after: String, before: String): Boolean = name match {
      case timesOf(first, last) => first < before && after < last
      case _ => true
    }
  }

  private def render(entries: Seq[Entry]): String = {
    val root = Json.newObject()
    val list = root.putArray("files")
    entries.foreach(e => list.addObject().put("fileName", e.name).put("fileLen", e.length))
    Json.pretty(root)
  }
}
