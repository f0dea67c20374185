package hudilite.timeline

import scala.jdk.CollectionConverters._

import hudilite.io.{LocalStorage, Storage}

/** What the archive of a table contains, read without the code that decides what counts there. */
object ArchivedActions {

  /** Returns instant, action and state of each entry; in versions 8 and 9, an action is one. */
  def of(files: TimelineFiles): Seq[(String, String, String)] =
    if (files.layout.namesCompletion) inHistory(files) else inLogs(files)

  private def inLogs(files: TimelineFiles): Seq[(String, String, String)] = for {
    name <- LocalStorage.names(files.at(".hoodie/archived")).sorted
    record <- AvroLog.records(LocalStorage.read(files.at(s".hoodie/archived/$name")))
    key <- ArchivedEntry.keyOf(record)
  } yield key

  private def inHistory(files: TimelineFiles): Seq[(String, String, String)] = {
    val folder = files.at(".hoodie/timeline/history")
    val version = Storage.resolve(folder, "_version_")
    if (!LocalStorage.exists(version)) Nil
    else {
      val manifest =
        Storage.resolve(folder, s"manifest_${new String(LocalStorage.read(version))}")
      for {
        entry <-
          Json.parse(LocalStorage.read(manifest), manifest).path("files").elements.asScala.toSeq
        bytes = LocalStorage.read(Storage.resolve(folder, entry.path("fileName").asText))
        _ = assert(bytes.length == entry.path("fileLen").asInt)
        (time, action) <- HistoryFile.actions(bytes, manifest).toSeq.sorted
      } yield (time, action, "COMPLETED")
    }
  }
}
