package hudilite.timeline

import com.fasterxml.jackson.databind.JsonNode

import hudilite.error.HudiliteException

/** Columns of a table whose columns stock Hudi has changed under `hoodie.schema.on.read.enable`. There a
  * column is known by a number, and files that were written before a change keep their names.
  * Source: Hudi 1.2, FileBasedInternalSchemaStorageManager, SerDeHelper. */
private[hudilite] object SchemaHistory {

  /** Entry in extraMetadata of the commits of such a table. */
  val entry = "latest_schema"

  /** Property of the writer that changed the columns. */
  val property = "hoodie.schema.on.read.enable"

  private val suffix = ".schemacommit"

  /** Fails if a file may have a column under another name than the table, or another column under its
    * name: columns are read by their names.
    * @param upTo latest instant of the state that is read
    * Errors: HUDILITE_UNSUPPORTED_TABLE, HUDILITE_CORRUPT_TIMELINE. */
  def check(timeline: TimelineFiles, upTo: String): Unit = {
    val names = columns(timeline, upTo)
    val renamed = changed(names)
    val added = changed(names.map { case (number, name) => name -> number.toString }).map(_._1)
    renamed.headOption.foreach { case (_, all) =>
      throw unsupported(timeline, "renamed column", all.mkString(", "))
    }
    added.headOption.foreach { name =>
      throw unsupported(timeline, "column that was dropped and added again", name)
    }
  }

  /** Returns what has several different values. */
  private def changed[K](pairs: Seq[(K, String)]): Seq[(K, Seq[String])] =
    pairs.groupMap(_._1)(_._2).view.mapValues(_.distinct).filter(_._2.size > 1).toSeq

  /** Returns number and name of each column in each version, oldest first. */
  private def columns(timeline: TimelineFiles, upTo: String): Seq[(Int, String)] = {
    val folder = timeline.at(timeline.layout.schemas)
    val files = timeline.storage.list(folder).filter(e => e.name.endsWith(suffix) && e.length > 0)
    val newest = files.sortBy(_.name).lastOption.getOrElse(
      throw Timeline.corrupt(folder, s"it has no file, but the latest commit has $entry")
    )
    val root = Json.parse(timeline.storage.read(newest.path), newest.path)
    val versions = Json.items(root.path("schemas")).toVector.reverse
    versions.filter(_.path("version_id").asLong <= upTo.toLong).flatMap(named(_, ""))
  }

  private def named(of: JsonNode, prefix: String): Seq[(Int, String)] = {
    val fields = Json.items(of.path("fields")).toVector.flatMap { field =>
      val name = prefix + field.path("name").asText
      (field.path("id").asInt -> name) +: named(field.path("type"), s"$name.")
    }
    val parts = for {
      part <- Seq("element", "value")
      inner <- Option(of.get(part)).toSeq if inner.isObject
      column <- named(inner, s"$prefix$part.")
    } yield column
    fields ++ parts
  }

  private def unsupported(timeline: TimelineFiles, fact: String, value: String) =
    HudiliteException(
      "HUDILITE_UNSUPPORTED_TABLE",
      "path" -> timeline.basePath.toString,
      "fact" -> fact,
      "value" -> value,
      "fix" -> (s"It was changed under $property, and older files have the old name. Copy the rows with " +
        "stock Hudi into a table whose columns were not renamed, or into Parquet files.")
    )
}
