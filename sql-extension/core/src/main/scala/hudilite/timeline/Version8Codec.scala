package hudilite.timeline

import org.apache.avro.generic.GenericRecord
import org.apache.hadoop.fs.Path

/** Codec of table versions 8 and 9: Avro container files for everything. Only a completed file
  * without a time of completion in its name contains JSON, as in version 6, because stock Hudi reads
  * it so. hudilite does not write commits in this form.
  * Source: table-versions §1.3-1.5, §1.8. */
private[timeline] object Version8Codec extends TimelineCodec {
  override def encodeCommit(json: String, action: String, path: Path): Array[Byte] = {
    val record = CommitAvro.record(CommitMetadata.ofJson(json, path), action)
    CommitChecksum.putInFile(AvroFile.bytes(record, CommitChecksum.key -> CommitChecksum.blank))
  }

  override def encodeInflight(extra: Map[String, String]): Array[Byte] = encode(
    CommitAvro.record(CommitMetadata("", "", Nil, extra = extra), Instant.commit)
  )

  override def decodeCommit(bytes: Array[Byte], path: Path): CommitMetadata =
    if (isOfVersion6(path)) CommitJson.parse(bytes, path)
    else
      decode(bytes, path) match {
        case Vector(record) =>
          CommitChecksum.checkFile(bytes, path)
          CommitAvro.parse(record, path)
        case other =>
          throw Timeline.corrupt(path, s"it contains ${other.size} records instead of 1")
      }

  override def encode(record: GenericRecord): Array[Byte] = AvroFile.bytes(record)

  override def decode(bytes: Array[Byte], path: Path): Vector[GenericRecord] =
    AvroFile.records(bytes, path)

  private def isOfVersion6(path: Path): Boolean =
    Version8Layout.parse(path.getName).exists { instant =>
      instant.state == Instant.Completed && instant.completion.isEmpty
    }
}
