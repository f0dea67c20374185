package hudilite.timeline

import org.apache.avro.Schema

/** Avro schemas of the completed files of commits and replacecommits in table versions 8 and 9:
  * Hudi's HoodieCommitMetadata and HoodieReplaceCommitMetadata, as stock Hudi writes them.
  * Source: table-versions §1.4. */
private[timeline] object CommitSchema {

  /** Type of a text, which stock Hudi's readers get as a String of Java. */
  val text: String = """{"type":"string","avro.java.string":"String"}"""
  private val long = "\"long\""

  /** Returns a field that may be null. */
  def field(name: String, kind: String): String =
    s"""{"name":"$name","type":["null",$kind],"default":null}"""

  private def fields(kind: String, names: String*) = names.map(field(_, kind))

  private def map(values: String) =
    s"""{"type":"map","values":$values,"avro.java.string":"String"}"""

  private def array(items: String) = s"""{"type":"array","items":$items}"""

  /** Returns the type with a default, which stock Hudi's schemas contain here and Avro ignores. */
  private def withDefault(kind: String) = s"""${kind.stripSuffix("}")},"default":null}"""

  private def record(name: String, of: Seq[String]) =
    s"""{"type":"record","name":"$name","fields":${of.mkString("[", ",", "]")}}"""

  private val runtimeStats =
    record("HoodieRuntimeStats",
      fields(long, "totalScanTime", "totalCreateTime", "totalUpsertTime"))

  private val writeStat = record(
    "HoodieWriteStat",
    fields(text, "fileId", "path", "prevCommit") ++
      fields(long, "numWrites", "numDeletes", "numUpdateWrites", "totalWriteBytes") ++
      fields(long, "totalWriteErrors") ++ fields(text, "partitionPath") ++
      fields(long, "totalLogRecords", "totalLogFiles", "totalUpdatedRecordsCompacted") ++
      fields(long, "numInserts", "totalLogBlocks", "totalCorruptLogBlock", "totalRollbackBlocks") ++
      fields(long, "fileSizeInBytes") ++ fields("\"int\"", "logVersion") ++
      fields(long, "logOffset") ++ fields(text, "baseFile") ++ fields(withDefault(array(text)),
        "logFiles") ++
      fields(withDefault(map(long)), "cdcStats") ++ fields(text, "prevBaseFile") ++
      fields(long, "minEventTime", "maxEventTime") ++ fields(runtimeStats, "runtimeStats") ++
      fields(long, "totalLogFilesCompacted", "totalLogReadTimeMs", "totalLogSizeCompacted") ++
      fields(text, "tempPath") ++ fields(long, "numUpdates")
  )

  private val ofCommit = Seq(
    field("partitionToWriteStats", map(array(writeStat))),
    field("compacted", "\"boolean\""),
    field("extraMetadata", withDefault(map(text))),
    """{"name":"version","type":["int","null"],"default":1}""",
    field("operationType", text)
  )

  /** Schema of a commit. */
  val commit: Schema = parsed("HoodieCommitMetadata", ofCommit)

  /** Schema of a replacecommit. */
  val replaceCommit: Schema = parsed(
    "HoodieReplaceCommitMetadata",
    ofCommit :+ field("partitionToReplaceFileIds", map(array(text)))
  )

  /** Returns the schema of the write stats in a commit. */
  def stat(of: Schema): Schema =
    of.getField("partitionToWriteStats").schema.getTypes.get(1).getValueType.getElementType

  private def parsed(name: String, of: Seq[String]): Schema = new Schema.Parser().parse(
    s"""{"type":"record","name":"$name","namespace":"org.apache.hudi.avro.model",
       |"fields":${of.mkString("[", ",", "]")}}""".stripMargin
  )
}
