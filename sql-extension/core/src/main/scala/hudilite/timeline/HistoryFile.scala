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
  private val (time, completion, action) = ("instantTime", "completionTime", "action")

  private val schema: MessageType = MessageTypeParser.parseMessageType(
    s"""message $name {
       |  optional binary $time (UTF8);
       |  optional binary $completion (UTF8);
       |  optional binary $action (UTF8);
       |  optional binary metadata;
       |  optional binary plan;
       |  required int32 version;
       |}""".stripMargin
  )

  private val avroSchema: String = {
    val fields =
      Seq(time, completion, action).map(CommitSchema.field(_, CommitSchema.text)) ++
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
    texts(bytes, path, action).toSet

  /** Returns when the action of each instant in a file was completed.
    * Errors: HUDILITE_CORRUPT_TIMELINE. */
  def completions(bytes: Array[Byte], path: Path): Map[String, String] =
    texts(bytes, path, completion).toMap

  /** Returns the instants of all rows with the texts of another column, which have one. */
  private def texts(bytes: Array[Byte], path: Path, column: String): Vector[(String, String)] =
    try Using.resource(ParquetFileReader.open(new Source(bytes)))(texts(_, column))
    catch {
      case NonFatal(e) => // Parquet has many exceptions for damaged bytes
        throw Timeline.corrupt(path, s"it is no Parquet file of an archive, or is damaged ($e)")
    }

  private def texts(reader: ParquetFileReader, column: String): Vector[(String, String)] = {
    val columns = schema.getFields.asScala.filter(f => Set(time, column)(f.getName)).asJava
    val asked = new MessageType(name, columns)
    reader.setRequestedSchema(asked)
    Iterator.continually(Option(reader.readNextRowGroup())).takeWhile(_.nonEmpty).flatten
      .flatMap(rowsOf(_, asked, column)).toVector
  }

  private def rowsOf(
      pages: PageReadStore,
      asked: MessageType,
      column: String
  ): Vector[(String, String)] = {
    val records = new ColumnIOFactory().getColumnIO(asked)
      .getRecordReader(pages, new GroupRecordConverter(asked))
    val rows = Vector.fill[Group](Math.toIntExact(pages.getRowCount))(records.read())
    rows.filter(_.getFieldRepetitionCount(column) > 0)
      .map(row => row.getString(time, 0) -> row.getString(column, 0))
  }

  private def groupOf(row: Row): Group = {
    val group = new SimpleGroup(schema)
    group.add(time, row.time)
    group.add(completion, row.completion)
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
