package hudilite.timeline

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.fs.Path

/** Content of a completed commit or replacecommit file.
  * @param operationType   UPSERT, INSERT, BULK_INSERT, DELETE, INSERT_OVERWRITE ..., "" when the
  *                        file says none
  * @param schema          table schema as Avro JSON without the meta columns, "" when the file says
  *                        none
  * @param stats           the base files written
  * @param replacedFileIds partition path to the file groups that a replacecommit hides
  * @param extra           extraMetadata besides the schema
  * Source: hudi-format §3.6-3.8. */
final case class CommitMetadata(
    operationType: String,
    schema: String,
    stats: Seq[WriteStat],
    replacedFileIds: Map[String, Seq[String]] = Map.empty,
    extra: Map[String, String] = Map.empty
) {

  /** The JSON that stock Hudi reads, pretty printed, with its checksum. */
  def toJson: String = CommitChecksum.put(
    Json.pretty(CommitJson.render(this).put(CommitChecksum.key, CommitChecksum.blank))
  )

  /** Whether it changes the columns; the files that such a commit writes have the same rows. */
  def isOfColumns: Boolean = operationType == CommitMetadata.alterSchema

  /** The file groups written or hidden. */
  def fileGroups: Set[FileGroupRef] =
    stats.map(s => FileGroupRef(s.partitionPath, s.fileId)).toSet ++
      replacedFileIds.flatMap { case (partition, ids) => ids.map(FileGroupRef(partition, _)) }
}

object CommitMetadata {

  /** Hudi's word for a commit that changes the columns. */
  val alterSchema: String = "ALTER_SCHEMA"

  /** @param bytes content of a completed file; unknown fields are passed over
    * @param path  named in errors
    * Errors: HUDILITE_CORRUPT_TIMELINE when it is empty, cut, altered, or not such a JSON. */
  def parse(bytes: Array[Byte], path: Path): CommitMetadata = {
    val root = Json.parse(bytes, path)
    CommitChecksum.check(bytes, path)
    CommitJson.parse(root, path)
  }

  private[timeline] def bytes(json: String): Array[Byte] = json.getBytes(UTF_8)
}
