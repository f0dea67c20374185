package hudilite.timeline

import java.io.ByteArrayOutputStream

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.avro.Schema
import org.apache.avro.file.{CodecFactory, DataFileWriter}
import org.apache.avro.generic.{GenericDatumWriter, GenericRecord, GenericRecordBuilder}

/** Content of completed commits as stock Hudi 1.x writes it in tables of versions 8 and 9. */
object StockCommits {
  private val text = """{"type":"string","avro.java.string":"String"}"""

  private def union(kind: String) = s"""["null",$kind]"""

  private def field(name: String, kind: String) =
    s"""{"name":"$name","type":${union(kind)},"default":null}"""

  private def fields(kind: String, names: String*) = names.map(field(_, kind))

  private def map(values: String) =
    s"""{"type":"map","values":$values,"avro.java.string":"String"}"""

  private def array(items: String) = s"""{"type":"array","items":$items}"""

  private def withDefault(kind: String) = s"""${kind.dropRight(1)},"default":null}"""

  private def record(name: String, of: Seq[String]) =
    s"""{"type":"record","name":"$name","fields":${of.mkString("[", ",", "]")}}"""

  private val runtimeStats = record(
    "HoodieRuntimeStats",
    fields("\"long\"", "totalScanTime", "totalCreateTime", "totalUpsertTime")
  )

  private val writeStat: String = record(
    "HoodieWriteStat",
    fields(text, "fileId", "path", "prevCommit") ++
      fields("\"long\"", "numWrites", "numDeletes", "numUpdateWrites", "totalWriteBytes",
        "totalWriteErrors") ++ fields(text, "partitionPath") ++
      fields(
        "\"long\"",
        "totalLogRecords",
        "totalLogFiles",
        "totalUpdatedRecordsCompacted",
        "numInserts",
        "totalLogBlocks",
        "totalCorruptLogBlock",
        "totalRollbackBlocks",
        "fileSizeInBytes"
      ) ++ fields("\"int\"", "logVersion") ++ fields("\"long\"", "logOffset") ++
      fields(text, "baseFile") ++ fields(withDefault(array(text)), "logFiles") ++
      fields(withDefault(map("\"long\"")), "cdcStats") ++ fields(text, "prevBaseFile") ++
      fields("\"long\"", "minEventTime", "maxEventTime") ++ fields(runtimeStats, "runtimeStats") ++
      fields("\"long\"", "totalLogFilesCompacted", "totalLogReadTimeMs", "totalLogSizeCompacted") ++
      fields(text, "tempPath") ++ fields("\"long\"", "numUpdates")
  )

  private val version = """{"name":"version","type":["int","null"],"default":1}"""

  private val ofCommit = Seq(
    field("partitionToWriteStats", map(array(writeStat))),
    field("compacted", "\"boolean\""),
    field("extraMetadata", withDefault(map(text))),
    version,
    field("operationType", text)
  )

  /** Hudi's HoodieReplaceCommitMetadata; HoodieCommitMetadata lacks the last field. */
  val schema: Schema = parsed("HoodieReplaceCommitMetadata",
    ofCommit :+ field("partitionToReplaceFileIds", map(array(text))))

  val commitSchema: Schema = parsed("HoodieCommitMetadata", ofCommit)

  private def parsed(name: String, of: Seq[String]) = new Schema.Parser().parse(
    s"""{"type":"record","name":"$name","namespace":"org.apache.hudi.avro.model",
       |"fields":${of.mkString("[", ",", "]")}}""".stripMargin
  )

  /** Returns the file of a commit; a replacecommit if it hides file groups. */
  def file(metadata: CommitMetadata, codec: CodecFactory = CodecFactory.nullCodec): Array[Byte] = {
    val of = if (metadata.replacedFileIds.isEmpty) commitSchema else schema
    val statSchema = valuesOf(of.getField("partitionToWriteStats")).getElementType
    val stats = metadata.stats.groupBy(_.partitionPath).map { case (partition, found) =>
      partition -> found.map(stat(statSchema, _)).asJava
    }
    val extra = metadata.extra ++
      Option(metadata.schema).filter(_.nonEmpty).map("schema" -> _)
    val builder = new GenericRecordBuilder(of)
      .set("partitionToWriteStats", stats.asJava)
      .set("compacted", false)
      .set("extraMetadata", extra.asJava)
      .set("operationType", metadata.operationType)
    if (metadata.replacedFileIds.nonEmpty)
      builder.set(
        "partitionToReplaceFileIds",
        metadata.replacedFileIds.map { case (partition, ids) => partition -> ids.asJava }.asJava
      )
    container(Seq(builder.build), codec)
  }

  /** Plan of a compaction without operations. */
  val compactionPlan: Array[Byte] = {
    val plan = new Schema.Parser().parse(
      s"""{"type":"record","name":"HoodieCompactionPlan",
         |"namespace":"org.apache.hudi.avro.model","fields":[${field("extraMetadata", map(text))},
         |$version]}""".stripMargin
    )
    container(Seq(new GenericRecordBuilder(plan).build))
  }

  /** Returns an Avro container file with records of one schema, at least one. */
  def container(
      records: Seq[GenericRecord],
      codec: CodecFactory = CodecFactory.nullCodec
  ): Array[Byte] = {
    val schema = records.head.getSchema
    val out = new ByteArrayOutputStream
    val writer = new DataFileWriter(new GenericDatumWriter[GenericRecord](schema))
    Using.resource(writer.setCodec(codec).create(schema, out))(w => records.foreach(w.append))
    out.toByteArray
  }

  private def valuesOf(field: Schema.Field): Schema = field.schema.getTypes.get(1).getValueType

  private def stat(schema: Schema, of: WriteStat): GenericRecord = {
    val builder = new GenericRecordBuilder(schema)
      .set("fileId", of.fileId)
      .set("path", of.path)
      .set("prevCommit", of.prevCommit)
      .set("partitionPath", of.partitionPath)
      .set("numWrites", of.numWrites)
      .set("numInserts", of.numInserts)
      .set("numUpdateWrites", of.numUpdateWrites)
      .set("numDeletes", of.numDeletes)
      .set("totalWriteBytes", of.totalWriteBytes)
      .set("fileSizeInBytes", of.fileSizeInBytes)
    of.prevBaseFile.foreach(builder.set("prevBaseFile", _))
    builder.build
  }
}
