package hudilite.view

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.JsonNode

import hudilite.timeline.{Json, TimelineFiles}

/** Statistics of a table, as ANALYZE TABLE has stored them. They are for the estimates of an optimizer
  * alone: no row of a result depends on them, and the file may be deleted at any time.
  * @param instant latest commit that was read, "" if there was none
  * @param rows    number of rows
  * @param bytes   size of the files with the data columns
  * @param columns statistics of columns, by name */
final case class TableStatistics(
    instant: String,
    rows: Long,
    bytes: Long,
    columns: Map[String, TableStatistics.Column] = Map.empty
) {

  /** Estimates the number of rows of files of another size: part of the table, or all of it after more
    * commits; None if the table had no files when it was analyzed.
    * @param size in bytes */
  def rowsOf(size: Long): Option[Long] =
    if (size == bytes) Some(rows)
    else Option.when(bytes > 0)(math.round(rows.toDouble * size / bytes))

  /** Returns the statistics with those of columns that were analyzed before, where this has none. */
  def after(earlier: Option[TableStatistics]): TableStatistics =
    copy(columns = earlier.fold(columns)(_.columns ++ columns))

  /** Stores the statistics in place of those that are there.
    * Errors: those of [[hudilite.io.Storage.createNew]]. */
  def write(files: TimelineFiles): Unit = {
    val path = files.at(files.layout.statistics)
    val bytes = Json.pretty(json).getBytes(UTF_8)
    if (!files.storage.createNew(path, bytes)) files.storage.replace(path, bytes)
  }

  private def json: JsonNode = {
    val root = Json.newObject()
    root.put("version", TableStatistics.version).put("instant", instant)
      .put("rows", rows).put("bytes", bytes): Unit
    val all = root.putObject("columns")
    columns.toSeq.sortBy(_._1).foreach { case (name, column) =>
      val node = all.putObject(name)
      node.put("type", column.dataType).put("rows", column.rows): Unit
      val values = node.putObject("values")
      column.values.toSeq.sorted.foreach { case (key, value) => values.put(key, value): Unit }
    }
    root
  }
}

object TableStatistics {
  private val version = 1

  /** Statistics of a column.
    * @param dataType type of the column, as text
    * @param rows     number of rows of the table when the column was read
    * @param values   statistics by their names */
  final case class Column(dataType: String, rows: Long, values: Map[String, String])

  /** Reads the statistics of a table; None if there are none, if their file is damaged, or if it cannot
    * be read: then a statement is planned without them. */
  def read(files: TimelineFiles): Option[TableStatistics] =
    try {
      val path = files.at(files.layout.statistics)
      of(Json.parse(files.storage.read(path), path))
    } catch { case NonFatal(_) => None }

  private def of(root: JsonNode): Option[TableStatistics] = for {
    _ <- count(root, "version").filter(_ == version)
    instant <- Json.text(root, "instant")
    rows <- count(root, "rows")
    bytes <- count(root, "bytes")
    columns <- Option(root.get("columns"))
    known = Json.entries(columns).map { case (name, node) => column(node).map(name -> _) }
    if known.forall(_.nonEmpty)
  } yield TableStatistics(instant, rows, bytes, known.flatten.toMap)

  private def column(node: JsonNode): Option[Column] = for {
    dataType <- Json.text(node, "type")
    rows <- count(node, "rows")
    values <- Option(node.get("values"))
  } yield Column(dataType, rows, Json.entries(values).map { case (k, v) => k -> v.asText }.toMap)

  private def count(node: JsonNode, field: String): Option[Long] =
    Option(node.get(field)).filter(_.isIntegralNumber).map(_.longValue).filter(_ >= 0)
}
