package hudilite.timeline

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.fs.Path

/** Metadata of a commit or replacecommit, which is the content of its completed file.
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

  /** Returns the JSON in which a numbered commit stores the metadata, with its checksum. */
  def toJson: String = CommitJson.text(this)

  /** Whether the commit changes columns; the files of such a commit contain the same rows as
    * before. */
  def isOfColumns: Boolean = operationType == CommitMetadata.alterSchema

  /** Whether the commit merges log files; the files of such a commit contain the same rows as before. */
  def isCompaction: Boolean = CommitMetadata.compactions(operationType)

  /** Whether the files that the commit writes contain the same rows as those before: it merges log
    * files, or sorts rows into other file groups. */
  def keepsRows: Boolean = isCompaction || operationType == CommitMetadata.cluster

  /** Returns the file groups that the commit writes or hides. */
  def fileGroups: Set[FileGroupRef] =
    stats.map(s => FileGroupRef(s.partitionPath, s.fileId)).toSet ++
      replacedFileIds.flatMap { case (partition, ids) => ids.map(FileGroupRef(partition, _)) }
}

object CommitMetadata {

  /** Hudi's operation type of a commit that changes columns. */
  val alterSchema: String = "ALTER_SCHEMA"

  /** Hudi's operation type of a commit that merges file slices into base files. */
  val compact: String = "COMPACT"

  /** Hudi's operation type of a replacecommit that sorts the rows of file groups into new ones. */
  val cluster: String = "CLUSTER"

  /** Prefix of the keys in `extra` of hudilite's metrics. */
  val metrics: String = "hudilite.metrics."

  /** Operation types of commits that Hudi marks as compacted. */
  private val compactions = Set(compact, "LOG_COMPACT")

  /** Parses the JSON in which a numbered commit stores metadata.
    * @param path path in errors
    * Errors: HUDILITE_CORRUPT_TIMELINE if it is not such a JSON, or was changed. */
  def ofJson(json: String, path: Path): CommitMetadata =
    CommitJson.parse(json.getBytes(UTF_8), path)
}
