package hudilite.view

import com.fasterxml.jackson.databind.JsonNode

import hudilite.error.HudiliteException
import hudilite.format.TableConfig
import hudilite.timeline.{Json, TimelineFiles}

/** Record index that stock Hudi keeps, or has kept, in a table's metadata table. Its definition stays
  * when the metadata table is gone.
  * Source: table-versions §6.3. */
object RecordIndex {
  private val name = "record_index"

  /** Whether the writers of a table looked each key up in all partitions, so that a key is unique over
    * the whole table. Reads the index definitions if the properties name their file.
    * Errors: HUDILITE_CORRUPT_TIMELINE if they are damaged; those of the storage. */
  def isGlobal(timeline: TimelineFiles, config: TableConfig): Boolean = {
    val defined = config.indexDefinitions.flatMap(definition(timeline, _))
    val isPartitioned =
      defined.exists(_.path("indexOptions").path("isPartitioned").asText == "true")
    (defined.nonEmpty || config.metadataPartitions.contains(name)) && !isPartitioned
  }

  private def definition(timeline: TimelineFiles, place: String): Option[JsonNode] = {
    val file = timeline.at(place)
    val bytes =
      try Some(timeline.storage.read(file))
      catch { case e: HudiliteException if e.condition == "HUDILITE_MISSING_FILE" => None }
    bytes.map(Json.parse(_, file).path("indexDefinitions").path(name)).filter(_.isObject)
  }
}
