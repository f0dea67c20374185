package hudilite.timeline

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}

import scala.annotation.tailrec
import scala.util.{Success, Try}

import org.apache.avro.Schema
import org.apache.avro.generic.{GenericDatumWriter, GenericRecord}
import org.apache.avro.io.{DecoderFactory, EncoderFactory}

import hudilite.format.LogBlock

/** Files of Hudi's log format whose blocks contain Avro records: the archived instants of table
  * version 6.
  * Source: table-versions §4.5 (blocks), hudi-format §3.13. */
private[timeline] object AvroLog {
  private val magic = "#HUDI#".getBytes(US_ASCII)
  private val formatVersion = 1
  private val contentVersion = 3

  /** Returns a file of blocks: one for each run of records with the same schema.
    * @param records records in order; the same records always give the same bytes */
  def bytes(records: Seq[GenericRecord]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    runs(records).foreach(run => out.writeBytes(blockOf(run)))
    out.toByteArray
  }

  /** Returns the records of a file, up to the first block that is cut or damaged, as a writer of
    * stock Hudi leaves it that dies. */
  def records(bytes: Array[Byte]): Vector[GenericRecord] = {
    val data = new DataInputStream(new ByteArrayInputStream(bytes))
    @tailrec def next(found: Vector[GenericRecord]): Vector[GenericRecord] =
      if (data.available == 0) found
      else
        Try(block(data)) match {
          case Success(records) => next(found ++ records)
          case _ => found
        }
    next(Vector.empty)
  }

  private def runs(records: Seq[GenericRecord]): Vector[Vector[GenericRecord]] =
    records.foldLeft(Vector.empty[Vector[GenericRecord]]) { (all, record) =>
      if (all.lastOption.exists(_.head.getSchema == record.getSchema))
        all.init :+ (all.last :+ record)
      else all :+ Vector(record)
    }

  private def blockOf(records: Vector[GenericRecord]): Array[Byte] = {
    val schema = records.head.getSchema
    val header = Seq(LogBlock.schemaKey -> schema.toString)
    LogBlock.bytes(LogBlock.avroData, header, contentOf(schema, records))
  }

  private def contentOf(schema: Schema, records: Vector[GenericRecord]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    val data = new DataOutputStream(out)
    data.writeInt(contentVersion)
    data.writeInt(records.length)
    records.foreach { record =>
      val bytes = new ByteArrayOutputStream
      val encoder = EncoderFactory.get.binaryEncoder(bytes, None.orNull)
      new GenericDatumWriter[GenericRecord](schema).write(record, encoder)
      encoder.flush()
      data.writeInt(bytes.size)
      bytes.writeTo(data)
    }
    out.toByteArray
  }

  /** Reads the next block and returns its records, none of a block of another type. */
  private def block(in: DataInputStream): Vector[GenericRecord] = {
    require(bytesOf(in, magic.length.toLong).sameElements(magic))
    val whole = bytesOf(in, in.readLong)
    val data = new DataInputStream(new ByteArrayInputStream(whole))
    require(data.readInt == formatVersion)
    val kind = data.readInt
    val header = Vector.fill(data.readInt)(data.readInt -> bytesOf(data, data.readInt.toLong)).toMap
    if (kind != LogBlock.avroData) Vector.empty
    else {
      val schema = new Schema.Parser().parse(new String(header(LogBlock.schemaKey), UTF_8))
      recordsOf(schema, bytesOf(data, data.readLong))
    }
  }

  private def recordsOf(schema: Schema, content: Array[Byte]): Vector[GenericRecord] = {
    val data = new DataInputStream(new ByteArrayInputStream(content))
    require(data.readInt == contentVersion)
    val reader = AvroFile.reader(Some(schema))
    Vector.fill(data.readInt) {
      val bytes = bytesOf(data, data.readInt.toLong)
      reader.read(None.orNull, DecoderFactory.get.binaryDecoder(bytes, None.orNull))
    }
  }

  private def bytesOf(in: DataInputStream, length: Long): Array[Byte] = {
    require(0 <= length && length <= in.available)
    in.readNBytes(length.toInt)
  }
}
