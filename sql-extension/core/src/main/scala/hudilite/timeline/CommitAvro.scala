package hudilite.timeline

import java.util.{LinkedHashMap => JavaMap}

import scala.jdk.CollectionConverters._

import org.apache.avro.Schema
import org.apache.avro.generic.GenericRecord
import org.apache.hadoop.fs.Path

/** Avro form of [[CommitMetadata]], which completed files of table versions 8 and 9 contain: Hudi's
  * HoodieCommitMetadata and HoodieReplaceCommitMetadata. A field that the record lacks counts as
  * null, and fields that are unknown here are ignored.
  * Source: table-versions §1.4-1.5. */
private[timeline] object CommitAvro {

  /** Counters that stock Hudi writes as 0 for a base file. */
  private val zeroCounters = Seq(
    "totalLogRecords",
    "totalUpdatedRecordsCompacted",
    "totalLogBlocks",
    "totalCorruptLogBlock",
    "totalRollbackBlocks",
    "totalLogFilesCompacted",
    "totalLogReadTimeMs",
    "totalLogSizeCompacted",
    "numUpdates"
  )

  /** Returns the record of a commit's metadata; equal metadata give equal records.
    * @param action commit or replacecommit */
  def record(metadata: CommitMetadata, action: String): GenericRecord = {
    val replaces = action == Instant.replaceCommit
    val schema = if (replaces) CommitSchema.replaceCommit else CommitSchema.commit
    val extra = Option(metadata.schema).filter(_.nonEmpty).map("schema" -> _).toSeq ++
      metadata.extra.toSeq.sorted
    val replaced = metadata.replacedFileIds.toSeq.sortBy(_._1).map { case (partition, ids) =>
      partition -> ids.asJava
    }
    val values = Seq[(String, Any)](
      "partitionToWriteStats" -> ordered(stats(metadata, CommitSchema.stat(schema))),
      "compacted" -> metadata.isCompaction,
      "extraMetadata" -> ordered(extra),
      "operationType" -> Option(metadata.operationType).filter(_.nonEmpty).orNull
    ) ++ Option.when(replaces)("partitionToReplaceFileIds" -> ordered(replaced))
    val made = AvroFile.record(schema, values: _*)
    made.put("version", Option.empty[Integer].orNull) // as stock Hudi, whose default is not this
    made
  }

  /** Returns the metadata in a record.
    * @param path path of its file in errors
    * Errors: HUDILITE_CORRUPT_TIMELINE if it is no such record. */
  def parse(record: GenericRecord, path: Path): CommitMetadata = {
    val written = value(record, "partitionToWriteStats").getOrElse(
      throw Timeline.corrupt(path, "partitionToWriteStats is missing")
    )
    val stats = for {
      (partition, list) <- entries(written, path)
      stat <- items(list, path)
    } yield parseStat(partition, stat, path)
    val replaced = value(record, "partitionToReplaceFileIds").toVector.flatMap(entries(_, path))
      .map { case (partition, ids) => partition -> items(ids, path).map(_.toString) }
    val extra = value(record, "extraMetadata").toVector.flatMap(entries(_, path))
      .flatMap { case (key, text) => Option(text).map(key -> _.toString) }.toMap
    CommitMetadata(
      value(record, "operationType").fold("")(_.toString),
      extra.getOrElse("schema", ""),
      stats,
      replaced.toMap,
      extra - "schema"
    )
  }

  private def stats(metadata: CommitMetadata, schema: Schema) =
    metadata.stats.groupBy(_.partitionPath).toSeq.sortBy(_._1).map { case (partition, found) =>
      partition -> found.sortBy(_.path).map(statRecord(_, schema)).asJava
    }

  private def statRecord(stat: WriteStat, schema: Schema): GenericRecord = {
    val known = Seq[(String, Any)](
      "fileId" -> stat.fileId,
      "path" -> stat.path,
      "prevCommit" -> stat.prevCommit,
      "numWrites" -> stat.numWrites,
      "numDeletes" -> stat.numDeletes,
      "numUpdateWrites" -> stat.numUpdateWrites,
      "totalWriteBytes" -> stat.totalWriteBytes,
      "totalWriteErrors" -> stat.writeErrors,
      "partitionPath" -> stat.partitionPath,
      "numInserts" -> stat.numInserts,
      "fileSizeInBytes" -> stat.fileSizeInBytes
    ) ++ stat.prevBaseFile.map("prevBaseFile" -> _) ++ stat.log.toSeq.flatMap { log =>
      Seq(
        "logVersion" -> log.version,
        "logOffset" -> 0L,
        "baseFile" -> log.baseFile,
        "logFiles" -> log.logFiles.asJava
      )
    }
    AvroFile.record(schema, known ++ zeroCounters.map(_ -> 0L): _*)
  }

  /** Returns a map that is written in the order of its entries. */
  private def ordered[A](entries: Seq[(String, A)]): JavaMap[String, A] = {
    val map = new JavaMap[String, A]
    entries.foreach { case (key, value) => map.put(key, value) }
    map
  }

  private def parseStat(partition: String, item: Any, path: Path): WriteStat = item match {
    case stat: GenericRecord =>
      WriteStat.of(partition, path)(
        value(stat, _).map(_.toString),
        value(stat, _).collect { case number: Number => number.longValue }.getOrElse(0L),
        value(stat, _).toVector.flatMap(items(_, path)).map(_.toString)
      )
    case _ => throw Timeline.corrupt(path, "a write stat is not a record")
  }

  private def value(record: GenericRecord, field: String): Option[Any] =
    if (record.hasField(field)) Option(record.get(field)) else None

  private def entries(map: Any, path: Path): Vector[(String, Any)] = map match {
    case found: java.util.Map[_, _] =>
      found.asScala.toVector.map { case (key, item) => key.toString -> item }
    case _ => throw Timeline.corrupt(path, "a field that should be a map is not one")
  }

  private def items(list: Any, path: Path): Vector[Any] = list match {
    case found: java.util.Collection[_] => found.asScala.toVector.filter(Option(_).nonEmpty)
    case _ => throw Timeline.corrupt(path, "a field that should be a list is not one")
  }
}
