package hudilite.timeline

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.fs.Path

/** JSON of [[CommitMetadata]], with the fields that stock Hudi writes: the form of metadata in
  * numbered commits, and in completed files of table version 6. */
private[hudilite] object CommitJson {
  private val zeroCounters = Seq(
    "numUpdates",
    "totalLogReadTimeMs",
    "totalLogRecords",
    "totalLogFilesCompacted",
    "totalLogSizeCompacted",
    "totalUpdatedRecordsCompacted",
    "totalLogBlocks",
    "totalValidLogBlocks",
    "totalLogBlocksSize",
    "totalLogBlocksScanTimeMs",
    "totalCorruptLogBlock",
    "totalRollbackBlocks"
  )

  /** Returns the JSON, pretty printed, with its checksum. */
  def text(metadata: CommitMetadata): String = CommitChecksum.put(
    Json.pretty(render(metadata).put(CommitChecksum.key, CommitChecksum.blank))
  )

  /** Parses the JSON and compares it with its checksum.
    * @param bytes the JSON; unknown fields are ignored
    * @param path  path of its file in errors
    * Errors: HUDILITE_CORRUPT_TIMELINE if it is empty, truncated, changed, or not such a JSON. */
  def parse(bytes: Array[Byte], path: Path): CommitMetadata = {
    val root = Json.parse(bytes, path)
    CommitChecksum.check(bytes, path)
    parse(root, path)
  }

  private def render(metadata: CommitMetadata): ObjectNode = {
    val root = Json.newObject()
    val written = root.putObject("partitionToWriteStats")
    metadata.stats.groupBy(_.partitionPath).toVector.sortBy(_._1).foreach {
      case (partition, stats) =>
        val list = written.putArray(partition)
        stats.sortBy(_.path).foreach(stat => renderStat(stat, list.addObject()))
    }
    root.put("compacted", metadata.isCompaction)
    val extra = root.putObject("extraMetadata")
    if (metadata.schema.nonEmpty) extra.put("schema", metadata.schema)
    metadata.extra.toVector.sorted.foreach { case (key, value) => extra.put(key, value) }
    root.put("operationType", metadata.operationType)
    if (metadata.replacedFileIds.nonEmpty) {
      val replaced = root.putObject("partitionToReplaceFileIds")
      metadata.replacedFileIds.toVector.sortBy(_._1).foreach { case (partition, ids) =>
        val list = replaced.putArray(partition)
        ids.foreach(id => list.add(id))
      }
    }
    root
  }

  private def parse(root: ObjectNode, path: Path): CommitMetadata = {
    if (!root.path("partitionToWriteStats").isObject)
      throw Timeline.corrupt(path, "partitionToWriteStats is missing")
    val stats = for {
      (partition, list) <- Json.entries(root.path("partitionToWriteStats"))
      stat <- Json.items(list)
    } yield parseStat(partition, stat, path)
    val replaced = Json
      .entries(root.path("partitionToReplaceFileIds"))
      .map { case (partition, ids) => partition -> Json.items(ids).map(_.asText) }
    val extra = Json
      .entries(root.path("extraMetadata"))
      .collect { case (key, value) if value.isTextual => key -> value.textValue }
      .toMap
    CommitMetadata(
      Json.text(root, "operationType").getOrElse(""),
      extra.getOrElse("schema", ""),
      stats,
      replaced.toMap,
      extra - "schema"
    )
  }

  private def renderStat(stat: WriteStat, node: ObjectNode): Unit = {
    node.put("fileId", stat.fileId).put("path", stat.path).putNull("cdcStats")
    node.put("prevCommit", stat.prevCommit)
    node.put("prevBaseFile", stat.prevBaseFile.orNull)
    node.put("numWrites", stat.numWrites).put("numDeletes", stat.numDeletes)
    node.put("numUpdateWrites", stat.numUpdateWrites).put("numInserts", stat.numInserts)
    node.put("totalWriteBytes", stat.totalWriteBytes).put("totalWriteErrors", stat.writeErrors)
    node.putNull("tempPath").put("partitionPath", stat.partitionPath)
    zeroCounters.foreach(counter => node.put(counter, 0L))
    node.put("fileSizeInBytes", stat.fileSizeInBytes)
    stat.log.foreach { log =>
      node.put("logVersion", log.version).put("logOffset", 0L).put("baseFile", log.baseFile)
      val files = node.putArray("logFiles")
      log.logFiles.foreach(name => files.add(name))
    }
    node.putNull("minEventTime").putNull("maxEventTime")
    node.putNull("runtimeStats"): Unit
  }

  private def parseStat(partition: String, node: JsonNode, path: Path): WriteStat =
    WriteStat.of(partition, path)(
      Json.text(node, _),
      node.path(_).asLong(0L),
      field => Json.items(node.path(field)).map(_.asText)
    )
}
