package hudilite.format

import java.io.{ByteArrayOutputStream, DataOutputStream}
import java.math.BigInteger
import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.avro.Schema
import org.apache.avro.generic.{GenericDatumReader, GenericRecord}
import org.apache.avro.io.{BinaryDecoder, BinaryEncoder, DecoderFactory, EncoderFactory}

/** Content of a log file's block that deletes keys: its version, the length of what follows, and an
  * Avro record with the list of the deletions.
  * Source: merge-on-read §1.3; the schema is that of stock Hudi 1.2. */
object DeleteRecords {
  private val version = 3
  private val decimalScale = 15
  private val namespace = "org.apache.hudi.avro.model"
  private val keyField = "recordKey"
  private val partitionField = "partitionPath"
  private val orderingField = "orderingVal"

  /** Types of ordering values in the order of the union in Hudi's schema. */
  private val wrappers: Vector[String] = Vector(
    "Boolean" -> "\"boolean\"",
    "Int" -> "\"int\"",
    "Long" -> "\"long\"",
    "Float" -> "\"float\"",
    "Double" -> "\"double\"",
    "Bytes" -> "\"bytes\"",
    "String" -> "\"string\"",
    "Date" -> "\"int\"",
    "Decimal" -> "\"bytes\"",
    "TimeMicros" -> "\"long\"",
    "TimestampMicros" -> "\"long\""
  ).map { case (name, avro) => wrapper(name, avro) }

  /** Schema of one deletion. */
  private val schema: Schema = new Schema.Parser().parse {
    val names = wrappers.map(text => new Schema.Parser().parse(text).getFullName)
    val several = (Vector("null") ++ names).map(name => s"\"$name\"") :+
      wrapper("LocalDate", "\"int\"")
    val array = s"""["null", {"type": "array", "items": ${union(several)}}]"""
    val ordering = ("\"null\"" +: wrappers) :+ record("ArrayWrapper", "wrappedValues" -> array)
    val text = """["null", "string"]"""
    record(
      "HoodieDeleteRecord",
      keyField -> text,
      partitionField -> text,
      orderingField -> union(ordering)
    )
  }

  /** Number of the integers in the union of ordering values. */
  private val intBranch =
    schema.getField(orderingField).schema.getIndexNamed(s"$namespace.IntWrapper").intValue

  /** Reads the content of a block.
    * @param content whole content; its position is not moved
    * @param path    the log file, for errors
    * Errors: HUDILITE_CORRUPT_DATA_FILE; HUDILITE_UNSUPPORTED_TABLE for another version, as older
    * releases of Hudi wrote it. */
  def read(content: ByteBuffer, path: String): Vector[DeleteRecord] = {
    val cursor = new HFileCursor(content.duplicate, path, LogFileBlocks.corrupt)
    val stated = cursor.int()
    if (stated != version)
      throw LogFileBlocks.unsupported(path, "a delete block of version", stated.toString)
    val datum = cursor.bytes(cursor.int())
    if (cursor.remaining > 0) cursor.fail("a delete block is longer than its records")
    try decoded(datum)
    catch {
      case NonFatal(e) => // Avro has many exceptions for damaged bytes
        throw LogFileBlocks.corrupt(path, s"the records of a delete block are damaged ($e)")
    }
  }

  /** Returns the content of a block that deletes keys whatever the values of their rows are. Only
    * this kind of deletion means the same to all readers.
    * @param keys record key and partition path of each deletion
    * Source: merge-on-read §4.2. */
  def bytes(keys: Seq[(String, String)]): Array[Byte] = {
    val datum = new ByteArrayOutputStream
    val encoder = EncoderFactory.get.binaryEncoder(datum, Option.empty[BinaryEncoder].orNull)
    encoder.writeArrayStart()
    encoder.setItemCount(keys.size.toLong)
    keys.foreach { case (key, partition) =>
      encoder.startItem()
      Seq(key, partition).foreach { text =>
        encoder.writeIndex(1)
        encoder.writeString(text)
      }
      encoder.writeIndex(intBranch)
      encoder.writeInt(0)
    }
    encoder.writeArrayEnd()
    encoder.flush()
    val content = new ByteArrayOutputStream
    val out = new DataOutputStream(content)
    out.writeInt(version)
    out.writeInt(datum.size)
    datum.writeTo(out)
    content.toByteArray
  }

  /** Reads the list one record at a time: Avro would reserve memory for as many as a damaged list
    * declares. */
  private def decoded(datum: Array[Byte]): Vector[DeleteRecord] = {
    val decoder = DecoderFactory.get.binaryDecoder(datum, Option.empty[BinaryDecoder].orNull)
    val reader = new GenericDatumReader[GenericRecord](schema)
    def records(count: Long): Iterator[DeleteRecord] =
      Iterator.iterate(0L)(_ + 1).takeWhile(_ < count).map { _ =>
        deletion(reader.read(Option.empty[GenericRecord].orNull, decoder))
      }
    val blocks = Iterator.iterate(decoder.readArrayStart())(_ => decoder.arrayNext())
    val found = blocks.takeWhile(_ > 0).flatMap(records).toVector
    require(decoder.isEnd, "bytes follow the list")
    found
  }

  private def deletion(record: GenericRecord): DeleteRecord = {
    def text(field: String) = Option(record.get(field)).map(_.toString)
    DeleteRecord(
      text(keyField).getOrElse(throw new IllegalArgumentException("a deletion has no key")),
      text(partitionField),
      ordering(Option(record.get(orderingField)))
    )
  }

  private def ordering(stored: Option[AnyRef]): OrderingValue = stored.map(typed) match {
    case None | Some(OrderingValue.OfInt(0)) => OrderingValue.CommitTime
    case Some(value) => value
  }

  private def typed(wrapped: Any): OrderingValue.Typed = wrapped match {
    case record: GenericRecord =>
      typed(record.getSchema.getName.stripSuffix("Wrapper"), record.get(0))
    case other => throw new IllegalArgumentException(s"$other is no value")
  }

  private def typed(wrapper: String, stored: Any): OrderingValue.Typed = (wrapper, stored) match {
    case (_, value: Boolean) => OrderingValue.OfBoolean(value)
    case ("Int", value: Int) => OrderingValue.OfInt(value)
    case ("Date" | "LocalDate", days: Int) => OrderingValue.OfDate(days)
    case ("Long", value: Long) => OrderingValue.OfLong(value)
    case ("TimeMicros", micros: Long) => OrderingValue.OfTimeMicros(micros)
    case ("TimestampMicros", micros: Long) => OrderingValue.OfTimestampMicros(micros)
    case (_, value: Float) => OrderingValue.OfFloat(value)
    case (_, value: Double) => OrderingValue.OfDouble(value)
    case ("Bytes", value: ByteBuffer) => OrderingValue.OfBytes(bytesOf(value).toVector)
    case ("Decimal", value: ByteBuffer) =>
      OrderingValue.OfDecimal(BigDecimal(new BigInteger(bytesOf(value)), decimalScale))
    case (_, value: CharSequence) => OrderingValue.OfString(value.toString)
    case (_, values: java.util.Collection[_]) =>
      OrderingValue.OfSeveral(values.asScala.toVector.map(Option[Any](_).map(typed)))
    case _ => throw new IllegalArgumentException(s"a $wrapper has no value")
  }

  private def bytesOf(value: ByteBuffer): Array[Byte] = {
    val bytes = new Array[Byte](value.remaining)
    value.duplicate.get(bytes)
    bytes
  }

  private def wrapper(name: String, avro: String): String =
    record(s"${name}Wrapper", "value" -> avro)

  private def record(name: String, fields: (String, String)*): String = {
    val texts = fields.map { case (field, avro) => s"""{"name": "$field", "type": $avro}""" }
    s"""{"type": "record", "name": "$name", "namespace": "$namespace", "fields": ${union(texts)}}"""
  }

  private def union(members: Seq[String]): String = members.mkString("[", ", ", "]")
}
