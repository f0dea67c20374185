package hudilite.timeline

import java.io.ByteArrayOutputStream

import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import org.apache.avro.SchemaBuilder.FieldAssembler
import org.apache.avro.file.{DataFileReader, DataFileWriter, SeekableByteArrayInput}
import org.apache.avro.generic.{
  GenericData,
  GenericDatumReader,
  GenericDatumWriter,
  GenericRecord,
  GenericRecordBuilder
}
import org.apache.avro.{Schema, SchemaBuilder}
import org.apache.hadoop.fs.Path

/** Avro records, and container files with one of them, the format of plans and outcomes on the
  * timeline.
  * Source: hudi-format §3.11. */
private[hudilite] object AvroFile {
  private val syncLength = 16

  /** Avro's model without its fast reader, which would keep what it has built for each schema object. Each
    * file has a schema object of its own, so that a driver that reads many timelines would run out of
    * memory. */
  private val model = new GenericData
  model.setFastReaderEnabled(false): Unit

  /** Returns a new reader of records.
    * @param schema schema of the records; None if the file contains it */
  def reader(schema: Option[Schema]): GenericDatumReader[GenericRecord] =
    new GenericDatumReader[GenericRecord](schema.orNull, schema.orNull, model)

  /** Starts the schema of one of Hudi's records. */
  def schema(name: String): FieldAssembler[Schema] =
    SchemaBuilder.record(name).namespace("org.apache.hudi.avro.model").fields

  /** Returns a record with these values, and the defaults of its other fields. */
  def record(schema: Schema, values: (String, Any)*): GenericRecord =
    values
      .foldLeft(new GenericRecordBuilder(schema)) { case (builder, (field, value)) =>
        builder.set(field, value)
      }
      .build

  /** Returns a file with one record; the same record always gives the same bytes.
    * @param header entries of the file's header besides Avro's own */
  def bytes(record: GenericRecord, header: (String, String)*): Array[Byte] = {
    val out = new ByteArrayOutputStream
    val schema = record.getSchema
    val writer = new DataFileWriter(new GenericDatumWriter[GenericRecord](schema))
    header.foreach { case (key, value) => writer.setMeta(key, value) }
    Using.resource(writer.create(schema, out, new Array[Byte](syncLength)))(_.append(record))
    out.toByteArray
  }

  /** Returns all records of a file.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def records(bytes: Array[Byte], path: Path): Vector[GenericRecord] =
    try
      Using.resource(
        new DataFileReader(new SeekableByteArrayInput(bytes), reader(None))
      )(_.iterator.asScala.toVector)
    catch {
      case NonFatal(
            e
          ) => // Avro has many exceptions for damaged bytes, among them a plain null pointer
        throw Timeline.corrupt(path, s"it is no Avro file, or is damaged ($e)")
    }
}
