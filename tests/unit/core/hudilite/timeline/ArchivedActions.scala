package hudilite.timeline

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.avro.generic.GenericRecord
import org.apache.parquet.hadoop.ParquetReader
import org.apache.parquet.hadoop.example.GroupReadSupport

import hudilite.io.{LocalStorage, Storage}

/** What the archive of a table contains, read without the code that decides what counts there. */
object ArchivedActions {

  /** Returns instant, action and state of each entry; in versions 8 and 9, an action is one. */
  def of(files: TimelineFiles): Seq[(String, String, String)] =
    if (files.layout.namesCompletion) inHistory(files) else inLogs(files)

  /** Returns the instants that were archived with a plan of a compaction. */
  def plans(files: TimelineFiles): Seq[String] =
    if (files.layout.namesCompletion) plansInHistory(files)
    else {
      val planned = entries(files)
        .filter(record => Option(record.get("hoodieCompactionPlan")).nonEmpty)
      planned.flatMap(ArchivedEntry.keyOf(_)).map(_._1)
    }

  private def plansInHistory(files: TimelineFiles): Seq[String] = for {
    name <- LocalStorage.names(files.at(".hoodie/timeline/history")).sorted
    if name.endsWith(".parquet")
    file = files.at(s".hoodie/timeline/history/$name")
    time <- Using.resource(ParquetReader.builder(new GroupReadSupport, file).build) { reader =>
      Iterator.continually(Option(reader.read())).takeWhile(_.nonEmpty).flatten
        .filter(_.getFieldRepetitionCount("plan") > 0).map(_.getString("instantTime", 0)).toVector
    }
  } yield time

  private def inLogs(files: TimelineFiles): Seq[(String, String, String)] =
    entries(files).flatMap(ArchivedEntry.keyOf(_))

  private def entries(files: TimelineFiles): Seq[GenericRecord] = for {
    name <- LocalStorage.names(files.at(".hoodie/archived")).sorted
    record <- AvroLog.records(LocalStorage.read(files.at(s".hoodie/archived/$name")))
  } yield record

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
