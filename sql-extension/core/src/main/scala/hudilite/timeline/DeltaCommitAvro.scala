package hudilite.timeline

import java.util.Collections

import org.apache.avro.generic.GenericRecord

import hudilite.format.LogFileName

/** Metadata of a deltacommit of Hudi's metadata table, which wrote one log file of the partition
  * `files`.
  * Source: table-versions §4.5. */
private[timeline] object DeltaCommitAvro {
  private val operation = "UPSERT_PREPPED"

  /** Returns the record; equal arguments give equal records.
    * @param log     the log file
    * @param records number of records in it
    * @param length  bytes of it
    * @param schema  Avro JSON of the schema of the records */
  def record(log: LogFileName, records: Int, length: Int, schema: String): GenericRecord = {
    val stat = AvroFile.record(
      CommitSchema.stat(CommitSchema.commit),
      "fileId" -> log.fileId,
      "path" -> s"${FilesPartition.name}/${log.text}",
      "prevCommit" -> log.instant,
      "numWrites" -> records.toLong,
      "numDeletes" -> 0L,
      "numUpdateWrites" -> records.toLong,
      "numInserts" -> 0L,
      "totalWriteBytes" -> length.toLong,
      "totalWriteErrors" -> 0L,
      "partitionPath" -> FilesPartition.name,
      "fileSizeInBytes" -> length.toLong,
      "logVersion" -> log.version,
      "logOffset" -> 0L,
      "baseFile" -> "",
      "logFiles" -> Collections.singletonList(log.text)
    )
    val made = AvroFile.record(
      CommitSchema.commit,
      "partitionToWriteStats" -> Collections.singletonMap(
        FilesPartition.name,
        Collections.singletonList(stat)
      ),
      "compacted" -> false,
      "extraMetadata" -> Collections.singletonMap("schema", schema),
      "operationType" -> operation
    )
    made.put("version", Option.empty[Integer].orNull) // as stock Hudi, whose default is not this
    made
  }
}
