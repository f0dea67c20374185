package hudilite.timeline

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}

import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroup
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.api.Binary
import org.apache.parquet.io.{
  ColumnIOFactory,
  DelegatingSeekableInputStream,
  InputFile,
  SeekableInputStream
}
import org.apache.parquet.schema.{MessageType, MessageTypeParser}

import hudilite.io.MemoryFile

/** Parquet files of the archive of table versions 8 and 9: one row for each action, Hudi's
  * HoodieLSMTimelineInstant.
  * Source: table-versions §1.11. */
private[timeline] object HistoryFile {

  /** Row of a file.
    * @param metadata content of the completed file
    * @param plan     content of the requested file */
  final case class Row(
      time: String,
      completion: String,
      action: String,
      metadata: Array[Byte],
      plan: Option[Array[Byte]]
  )

  private val name = "org.apache.hudi.avro.model.HoodieLSMTimelineInstant"
  private val (time, action) = ("instantTime", "action")

  private val schema: MessageType = MessageTypeParser.parseMessageType(
    s"""message $name {
       |  optional binary $time (UTF8);
       |  optional binary completionTime (UTF8);
       |  optional binary $action (UTF8);
       |  optional binary metadata;
       |  optional binary plan;
       |  required int32 version;
       |}""".stripMargin
  )

  private val avroSchema: String = {
    val fields =
      Seq(time, "completionTime", action).map(CommitSchema.field(_, CommitSchema.text)) ++
        Seq("metadata", "plan").map(CommitSchema.field(_, "\"bytes\"")) :+
        """{"name":"version","type":"int","default":1}"""
    s"""{"type":"record","name":"HoodieLSMTimelineInstant","namespace":""" +
      s""""org.apache.hudi.avro.model","fields":${fields.mkString("[", ",", "]")}}"""
  }

  /** Returns a file with these rows. */
  def bytes(rows: Seq[Row]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    val writer = ExampleParquetWriter.builder(new MemoryFile(out))
      .withType(schema)
      .withExtraMetaData(Map("parquet.avro.schema" -> avroSchema).asJava)
      .withCompressionCodec(CompressionCodecName.GZIP)
      .build()
    Using.resource(writer)(to => rows.foreach(row => to.write(groupOf(row))))
    out.toByteArray
  }

  /** Returns instant and action of each row of a file.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def actions(bytes: Array[Byte], path: Path): Set[(String, String)] =
    try Using.resource(ParquetFileReader.open(new Source(bytes)))(actions(_))
    catch {
      case NonFatal(e) => // Parquet has many exceptions for damaged bytes
        throw Timeline.corrupt(path, s"it is no Parquet file of an archive, or is damaged ($e)")
    }

  private def actions(reader: ParquetFileReader): Set[(String, String)] = {
    val columns = schema.getFields.asScala.filter(f => Set(time, action)(f.getName)).asJava
    val asked = new MessageType(name, columns)
    reader.setRequestedSchema(asked)
    Iterator.continually(Option(reader.readNextRowGroup())).takeWhile(_.nonEmpty).flatten
      .flatMap(rowsOf(_, asked)).toSet
  }

  private def rowsOf(pages: PageReadStore, asked: MessageType): Vector[(String, String)] = {
    val records = new ColumnIOFactory().getColumnIO(asked)
      .getRecordReader(pages, new GroupRecordConverter(asked))
    Vector.fill(Math.toIntExact(pages.getRowCount)) {
      val row: Group = records.read()
      row.getString(time, 0) -> row.getString(action, 0)
    }
  }

  private def groupOf(row: Row): Group = {
    val group = new SimpleGroup(schema)
    group.add(time, row.time)
    group.add("completionTime", row.completion)
    group.add(action, row.action)
    group.add("metadata", Binary.fromConstantByteArray(row.metadata))
    row.plan.foreach(plan => group.add("plan", Binary.fromConstantByteArray(plan)))
    group.add("version", 1)
    group
  }

  private final class Source(bytes: Array[Byte]) extends InputFile {
    override def getLength: Long = bytes.length.toLong
    override def newStream(): SeekableInputStream = {
      val in = new ByteArrayInputStream(bytes)
      new DelegatingSeekableInputStream(in) {
        override def getPos: Long = (bytes.length - in.available).toLong
        override def seek(to: Long): Unit = {
          in.reset()
          in.skip(to): Unit
        }
      }
    }
  }
}
