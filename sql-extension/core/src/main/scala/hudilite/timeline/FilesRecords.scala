package hudilite.timeline

import java.io.ByteArrayOutputStream
import java.util.{LinkedHashMap => JavaMap}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.avro.Schema
import org.apache.avro.generic.{GenericData, GenericDatumWriter, GenericRecord}
import org.apache.avro.io.{BinaryDecoder, BinaryEncoder, DecoderFactory, EncoderFactory}
import org.apache.hadoop.fs.Path

/** Records of the partition `files` of Hudi's metadata table. The key of a record is a partition path
  * of the table, and its value contains the names of files in it. One more record contains the
  * partition paths.
  * @param schema schema of the records, as stock Hudi wrote it
  * @param path   file that contains the schema, for errors
  * Source: table-versions §4.4. */
private[hudilite] final class FilesRecords private (schema: Schema, path: Path) {
  import FilesRecords._

  private val file = FilesRecords.kinds(schema.getField(filesField).schema)
    .find(_.getType == Schema.Type.MAP).map(_.getValueType)
    .filter(value => value.getType == Schema.Type.RECORD && has(value, "size", "isDeleted"))
    .getOrElse(throw Timeline.corrupt(path, s"its schema lacks the map $filesField"))

  /** Returns the key and the value of each record; equal changes give equal bytes.
    * @param changes files that were written or deleted, by partition path and name */
  def encode(changes: Changes): Seq[(String, Array[Byte])] = {
    val partitions = changes.keys.map(key(_) -> File(0, isDeleted = false)).toMap
    val listed = changes.toSeq.map { case (partition, files) =>
      key(partition) -> value(ofFiles, files)
    }
    (allPartitions -> value(ofPartitions, partitions)) +: listed
  }

  /** Returns the files that the value of a record contains, by name.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def decode(bytes: Array[Byte]): Map[String, File] =
    try {
      val decoder = DecoderFactory.get.binaryDecoder(bytes, Option.empty[BinaryDecoder].orNull)
      val record =
        AvroFile.reader(Some(schema)).read(Option.empty[GenericRecord].orNull, decoder)
      Option(record.get(filesField)).toSeq.flatMap {
        case files: java.util.Map[_, _] => files.asScala.toSeq
        case _ => Nil
      }.collect { case (name, info: GenericRecord) =>
        name.toString -> File(
          info.get("size").toString.toLong,
          info.get("isDeleted") == java.lang.Boolean.TRUE
        )
      }.toMap
    } catch {
      case NonFatal(e) => throw Timeline.corrupt(path, s"a record cannot be decoded ($e)")
    }

  private def value(kind: Int, files: Map[String, File]): Array[Byte] = {
    val infos = new JavaMap[String, GenericRecord]
    files.toSeq.sortBy(_._1).foreach { case (name, listed) =>
      val info = new GenericData.Record(file)
      info.put("size", listed.size)
      info.put("isDeleted", listed.isDeleted)
      infos.put(name, info): Unit
    }
    val record = new GenericData.Record(schema)
    record.put("key", "") // the key of the HFile's cell counts
    record.put("type", kind)
    record.put(filesField, infos)
    val out = new ByteArrayOutputStream
    val encoder = EncoderFactory.get.directBinaryEncoder(out, Option.empty[BinaryEncoder].orNull)
    new GenericDatumWriter[GenericRecord](schema).write(record, encoder)
    encoder.flush()
    out.toByteArray
  }
}

private[hudilite] object FilesRecords {

  /** State of one file.
    * @param size length in bytes, 0 for a deleted file */
  final case class File(size: Long, isDeleted: Boolean)

  /** Files by partition path, "" for a table without partitions, and by name. */
  type Changes = Map[String, Map[String, File]]

  /** File that a clean has deleted. */
  val deleted: File = File(0, isDeleted = true)

  /** Key of the record with the partition paths. */
  val allPartitions = "__all_partitions__"

  private val noPartition = "."
  private val filesField = "filesystemMetadata"
  private val ofPartitions = 1
  private val ofFiles = 2

  /** Returns the key of the record of a partition.
    * @param partition partition path, "" if the table has none */
  def key(partition: String): String = if (partition.isEmpty) noPartition else partition

  /** Returns the partition path of a key. */
  def partition(key: String): String = if (key == noPartition) "" else key

  /** Returns the records of a schema.
    * @param json Avro JSON
    * @param path file that contains it, for errors
    * Errors: HUDILITE_CORRUPT_TIMELINE if the schema is not that of a metadata table. */
  def of(json: String, path: Path): FilesRecords = {
    val schema =
      try new Schema.Parser().parse(json)
      catch {
        case NonFatal(e) => throw Timeline.corrupt(path, s"it contains no Avro schema ($e)")
      }
    val isKnown = schema.getType == Schema.Type.RECORD && has(schema, "key", "type", filesField)
    if (!isKnown) throw Timeline.corrupt(path, "its schema is not that of a metadata table")
    new FilesRecords(schema, path)
  }

  private def has(record: Schema, fields: String*): Boolean =
    fields.forall(field => Option(record.getField(field)).nonEmpty)

  private def kinds(schema: Schema): Seq[Schema] =
    if (schema.isUnion) schema.getTypes.asScala.toSeq else Seq(schema)
}
