package hudilite.view

import java.util.{Map => JavaMap}

import scala.collection.immutable.TreeMap
import scala.jdk.CollectionConverters._

import org.apache.avro.generic.{GenericRecord, GenericRecordBuilder}
import org.apache.avro.{Schema, SchemaBuilder}
import org.apache.hadoop.fs.Path

import hudilite.error.HudiliteException
import hudilite.timeline.{AvroFile, Timeline}

/** Encoding of the values in the HFiles of a bootstrap index. Each value is an Avro container file
  * with one record.
  * Source: hudi-format §8.4 (HoodieBootstrapPartitionMetadata, HoodieBootstrapFilePartitionInfo,
  * HoodieBootstrapIndexInfo, HoodieFileStatus). */
private[view] object BootstrapRecords {

  /** Block size in bytes, a default of stock Hudi. Stock Hudi needs one for each file, and
    * [[SourceFile]] has none. */
  private val blockBytes = 128L << 20

  private def record(name: String) = SchemaBuilder.record(name)
    .namespace("org.apache.hudi.avro.model").fields
    .name("version").`type`.unionOf.intType.and.nullType.endUnion.intDefault(1)

  private val pathSchema = record("HoodiePath").optionalString("uri").endRecord

  private val permission = record("HoodieFSPermission")
    .optionalString("userAction")
    .optionalString("groupAction")
    .optionalString("otherAction")
    .optionalBoolean("stickyBit")
    .endRecord

  /** Field with the hash of a source file's footer. Specific to hudilite: stock Hudi neither writes
    * nor reads it. */
  private val footer = "hudiliteFooter"

  /** Field with the prefix of a skeleton's sequence numbers. Specific to hudilite, like
    * [[footer]]. */
  private val sequence = "hudiliteSequence"

  private val status = record("HoodieFileStatus")
    .name("path").`type`.unionOf.nullType.and.`type`(pathSchema).endUnion.nullDefault
    .optionalLong("length")
    .optionalBoolean("isDir")
    .optionalInt("blockReplication")
    .optionalLong("blockSize")
    .optionalLong("modificationTime")
    .optionalLong("accessTime")
    .name("permission").`type`.unionOf.nullType.and.`type`(permission).endUnion.nullDefault
    .optionalString("owner")
    .optionalString("group")
    .name("symlink").`type`.unionOf.nullType.and.`type`(pathSchema).endUnion.nullDefault
    .optionalString(footer)
    .optionalString(sequence)
    .endRecord

  private val ofPartition = record("HoodieBootstrapPartitionMetadata")
    .optionalString("bootstrapPartitionPath")
    .optionalString("partitionPath")
    .name("fileIdToBootstrapFile")
    .`type`.unionOf.nullType.and.map.values(status).endUnion.nullDefault
    .endRecord

  private val ofFile = record("HoodieBootstrapFilePartitionInfo")
    .optionalString("bootstrapPartitionPath")
    .name("bootstrapFileStatus").`type`.unionOf.nullType.and.`type`(status).endUnion.nullDefault
    .optionalString("partitionPath")
    .endRecord

  private val ofIndex = record("HoodieBootstrapIndexInfo")
    .optionalString("bootstrapBasePath")
    .optionalLong("createdTimestamp")
    .optionalInt("numKeys")
    .endRecord

  /** Encodes every file id of a partition with its source file. */
  def partition(of: BootstrapPartition): Array[Byte] = file(
    ofPartition,
    "bootstrapPartitionPath" -> of.sourcePartition,
    "partitionPath" -> of.partition,
    "fileIdToBootstrapFile" -> TreeMap.from(of.files).map { case (id, source) =>
      id -> fileStatus(source)
    }.asJava
  )

  /** Encodes one file id of a partition with its source file. */
  def file(of: BootstrapPartition, source: SourceFile): Array[Byte] = file(
    ofFile,
    "bootstrapPartitionPath" -> of.sourcePartition,
    "bootstrapFileStatus" -> fileStatus(source),
    "partitionPath" -> of.partition
  )

  /** Encodes the file info of an HFile, HoodieBootstrapIndexInfo.
    * @param created milliseconds since 1970
    * @param keys    number of keys in the HFile */
  def index(sourceBase: Path, created: Long, keys: Int): Array[Byte] = file(
    ofIndex,
    "bootstrapBasePath" -> sourceBase.toString,
    "createdTimestamp" -> created,
    "numKeys" -> keys
  )

  /** Decodes a value that [[partition]] or stock Hudi wrote.
    * @param path the HFile, for errors
    * Errors: HUDILITE_CORRUPT_TIMELINE, also if the value belongs to another partition. */
  def sources(bytes: Array[Byte], partition: String, path: Path): Map[String, SourceFile] =
    entry(partition, path).sources(bytes, partition)

  /** Decodes the same value, including the partition's path below the source; throws as
    * [[sources]]. */
  def read(bytes: Array[Byte], partition: String, path: Path): BootstrapPartition =
    entry(partition, path).partition(bytes, partition)

  /** Decodes a value that [[index]] or stock Hudi wrote, and returns the path of the bootstrap
    * source; throws as [[sources]]. */
  def sourceBase(bytes: Array[Byte], path: Path): Path =
    new Reading("its description of the bootstrap", path).sourceBase(bytes)

  private def entry(partition: String, path: Path) =
    new Reading(s"its entry of partition '$partition'", path)

  private def fileStatus(source: SourceFile): GenericRecord = build(
    status,
    "path" -> build(pathSchema, "uri" -> source.path.toString),
    "length" -> source.length,
    "isDir" -> false,
    "blockReplication" -> 1,
    "blockSize" -> blockBytes,
    "modificationTime" -> source.modified,
    "accessTime" -> source.modified,
    footer -> source.footer.orNull,
    sequence -> source.sequence.orNull
  )

  private def file(schema: Schema, values: (String, Any)*): Array[Byte] =
    AvroFile.bytes(build(schema, values: _*))

  private def build(schema: Schema, values: (String, Any)*): GenericRecord =
    values
      .foldLeft(new GenericRecordBuilder(schema)) { case (builder, (field, value)) =>
        builder.set(field, value)
      }
      .build

  /** Decoder of one entry. A missing field, or one of another type, is HUDILITE_CORRUPT_TIMELINE.
    * @param name name of the entry, for errors */
  private final class Reading(name: String, path: Path) {
    def sources(bytes: Array[Byte], partition: String): Map[String, SourceFile] =
      record(bytes)(files(_, partition))

    def partition(bytes: Array[Byte], partition: String): BootstrapPartition = record(bytes) { of =>
      val below = field(of, "bootstrapPartitionPath").toString
      BootstrapPartition(partition, below, files(of, partition))
    }

    def sourceBase(bytes: Array[Byte]): Path =
      record(bytes)(of => new Path(field(of, "bootstrapBasePath").toString))

    private def record[T](bytes: Array[Byte])(read: GenericRecord => T): T =
      try
        AvroFile.records(bytes, path) match {
          case Vector(record) => read(record)
          case records => throw corrupt(s"has ${records.size} records")
        }
      catch {
        case e: HudiliteException => throw e
        // Avro has no single exception type for malformed bytes.
        case e: RuntimeException => throw corrupt(s"is malformed ($e)")
      }

    private def files(of: GenericRecord, partition: String): Map[String, SourceFile] =
      field(of, "fileIdToBootstrapFile") match {
        case _ if field(of, "partitionPath").toString != partition =>
          throw corrupt("belongs to another partition")
        case files: JavaMap[_, _] =>
          files.asScala.map { case (id, file) => s"$id" -> source(file) }.toMap
        case other => throw corrupt(s"has $other as its files")
      }

    private def source(found: Any): SourceFile = found match {
      case file: GenericRecord =>
        SourceFile(
          new Path(uri(field(file, "path"))),
          number(file, "length"),
          number(file, "modificationTime"),
          known(file, footer).map(_.toString),
          known(file, sequence).map(_.toString)
        )
      case other => throw corrupt(s"has $other as a file")
    }

    private def uri(found: AnyRef): String = found match {
      case of: GenericRecord => field(of, "uri").toString
      case other => throw corrupt(s"has $other as a path")
    }

    private def number(record: GenericRecord, name: String): Long = field(record, name) match {
      case value: java.lang.Long if value >= 0 => value
      case other => throw corrupt(s"has $other as $name")
    }

    private def field(record: GenericRecord, name: String): AnyRef =
      known(record, name).getOrElse(throw corrupt(s"lacks $name"))

    private def known(record: GenericRecord, name: String): Option[AnyRef] =
      Option(record.getSchema.getField(name)).flatMap(field => Option(record.get(field.pos)))

    private def corrupt(reason: String): HudiliteException =
      Timeline.corrupt(path, s"$name $reason")
  }
}
