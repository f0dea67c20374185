package hudilite.timeline

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.avro.generic.GenericRecord
import org.apache.hadoop.fs.Path

/** Codec of table version 6: JSON for commits, Avro container files for everything else.
  * Source: hudi-format §3.6, §3.11. */
private[timeline] object Version6Codec extends TimelineCodec {
  override def encodeCommit(json: String, action: String, path: Path): Array[Byte] =
    json.getBytes(UTF_8)

  override def decodeCommit(bytes: Array[Byte], path: Path): CommitMetadata =
    CommitJson.parse(bytes, path)

  override def encodeInflight(extra: Map[String, String]): Array[Byte] = {
    val root = Json.newObject()
    root.putObject("partitionToWriteStats")
    val entries = root.putObject("extraMetadata")
    extra.toVector.sorted.foreach { case (key, value) => entries.put(key, value) }
    Json.pretty(root).getBytes(UTF_8)
  }

  override def encode(record: GenericRecord): Array[Byte] = AvroFile.bytes(record)

  override def decode(bytes: Array[Byte], path: Path): Vector[GenericRecord] =
    AvroFile.records(bytes, path)
}
