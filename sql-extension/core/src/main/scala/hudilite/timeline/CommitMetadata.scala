package hudilite.timeline

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.fs.Path

/** Content of a completed commit or replacecommit file.
  * @param operationType   UPSERT, INSERT, BULK_INSERT, DELETE, INSERT_OVERWRITE ..., "" if the file
  *                        contains none
  * @param schema          table schema as Avro JSON without the meta columns, "" if the file
  *                        contains none
  * @param stats           the base files written
  * @param replacedFileIds partition path to the file groups that a replacecommit hides
  * @param extra           extraMetadata without the schema
  * Source: hudi-format §3.6-3.8. */
final case class CommitMetadata(
    operationType: String,
    schema: String,
    stats: Seq[WriteStat],
    replacedFileIds: Map[String, Seq[String]] = Map.empty,
    extra: Map[String, String] = Map.empty
) {

  /** Returns the JSON that stock Hudi reads, pretty printed, with its checksum. */
  def toJson: String = CommitChecksum.put(
    Json.pretty(CommitJson.render(this).put(CommitChecksum.key, CommitChecksum.blank))
  )

  /** Whether the commit changes columns; the files of such a commit contain the same rows as
    * before. */
  def isOfColumns: Boolean = operationType == CommitMetadata.alterSchema

  /** Returns the file groups that the commit writes or hides. */
  def fileGroups: Set[FileGroupRef] =
    stats.map(s => FileGroupRef(s.partitionPath, s.fileId)).toSet ++
      replacedFileIds.flatMap { case (partition, ids) => ids.map(FileGroupRef(partition, _)) }
}

object CommitMetadata {

  /** Hudi's operation type of a commit that changes columns. */
  val alterSchema: String = "ALTER_SCHEMA"

  /** Parses the content of a completed file.
    * @param bytes content of the file; unknown fields are ignored
    * @param path  path of the file in errors
    * Errors: HUDILITE_CORRUPT_TIMELINE if it is empty, truncated, changed, or not such a JSON. */
  def parse(bytes: Array[Byte], path: Path): CommitMetadata = {
    val root = Json.parse(bytes, path)
    CommitChecksum.check(bytes, path)
    CommitJson.parse(root, path)
  }

  private[hudilite] def bytes(json: String): Array[Byte] = json.getBytes(UTF_8)
}
