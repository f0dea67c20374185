package hudilite.bootstrap

import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.fs.Path
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.column.ParquetProperties.WriterVersion.{PARQUET_1_0, PARQUET_2_0}
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.metadata.CompressionCodecName.{
  GZIP,
  LZ4_RAW,
  SNAPPY,
  UNCOMPRESSED,
  ZSTD
}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.hadoop.{CodecFactory, ParquetFileReader, ParquetFileWriter}
import org.apache.parquet.io.OutputFile
import org.apache.parquet.schema.{MessageType, MessageTypeParser}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.KeyRange
import hudilite.io.NewFile

/** Sources whose keys lie in a column `id`, and their skeletons. */
object RawSources {
  import WrittenSkeleton.{conf, facts, layout}

  val schema: MessageType = parse("required int64 n; optional binary id (UTF8);")

  def parse(fields: String): MessageType =
    MessageTypeParser.parseMessageType(s"message source { $fields }")

  /** @param hasStatistics whether the column has any */
  final case class Kind(
      name: String,
      codec: CompressionCodecName = SNAPPY,
      version: WriterVersion = PARQUET_1_0,
      hasDictionary: Boolean = false,
      hasStatistics: Boolean = true,
      hasChecksums: Boolean = true,
      schema: MessageType = schema
  )

  val kinds: Seq[Kind] = Seq(
    Kind("plain"),
    Kind("dictionary", hasDictionary = true),
    Kind("v2 pages", version = PARQUET_2_0),
    Kind("v2 pages with a dictionary", ZSTD, PARQUET_2_0, hasDictionary = true),
    Kind("gz", GZIP, hasDictionary = true),
    Kind("lz4", LZ4_RAW),
    Kind("not packed", UNCOMPRESSED),
    Kind("without statistics", hasStatistics = false),
    Kind("without checksums", hasChecksums = false),
    Kind("without a kind of text", schema = parse("required int64 n; optional binary id;"))
  )

  /** @param groupRows of each row group but the last */
  def write(path: Path, kind: Kind, keys: Seq[String], groupRows: Int): Unit =
    Using.resource(
      ExampleParquetWriter
        .builder(new NewFile(path, conf))
        .withType(kind.schema)
        .withConf(conf)
        .withCompressionCodec(kind.codec)
        .withWriterVersion(kind.version)
        .withDictionaryEncoding(kind.hasDictionary)
        .withStatisticsEnabled(kind.hasStatistics)
        .withPageWriteChecksumEnabled(kind.hasChecksums)
        .withPageRowCountLimit(7)
        .withMinRowCountForPageSizeCheck(1)
        .withRowGroupRowCountLimit(groupRows)
        .build()
    ) { writer =>
      val rows = new SimpleGroupFactory(kind.schema)
      keys.zipWithIndex.foreach { case (key, n) =>
        writer.write(rows.newGroup().append("n", n.toLong).append("id", key))
      }
    }

  /** The same rows in a file whose column tells neither pages nor where they are. */
  def withoutIndexes(from: Path, to: Path): Unit =
    Using.resource(ParquetFileReader.open(HadoopInputFile.fromPath(from, conf))) { reader =>
      val file = new NewFile(to, conf)
      val schema = reader.getFileMetaData.getSchema
      val writer =
        new ParquetFileWriter(file, schema, ParquetFileWriter.Mode.CREATE, 1 << 20, 0, 64, 64, true)
      writer.start()
      reader.appendTo(writer)
      writer.end(Map.empty[String, String].asJava)
    }

  /** One row group whose column says of each page that its keys are all `m`. */
  def withWrongBounds(to: Path, keys: Seq[String]): Unit = {
    val schema = parse("optional binary id (UTF8);")
    val file = new NewFile(to, conf)
    val writer =
      new ParquetFileWriter(file, schema, ParquetFileWriter.Mode.CREATE, 1 << 20, 0, 64, 64, true)
    val wrong = KeyRange(UTF8String.fromString("m"), UTF8String.fromString("m"))
    val codecs = new CodecFactory(conf, 1 << 20)
    val pages = new ColumnPages(writer, codecs.getCompressor(UNCOMPRESSED))
    val column = schema.getColumns.get(0)
    writer.start()
    writer.startBlock(keys.size.toLong)
    pages.start(column, keys.size.toLong)
    keys.grouped(3).foreach { some =>
      val texts = some.map(key => BytesInput.from(key.getBytes(UTF_8)))
      val values = texts.flatMap(text => Seq(BytesInput.fromInt(text.size.toInt), text))
      pages.page(column, BytesInput.concat(values: _*), Encoding.PLAIN, some.size, wrong)
    }
    pages.end()
    writer.endBlock()
    writer.end(Map.empty[String, String].asJava)
  }

  /** Copies what can be copied.
    * @return the row groups' keys, and which of them were copied */
  def adopt(source: Path, to: Path): (Seq[Seq[String]], Seq[Boolean]) =
    adopt(source, new NewFile(to, conf))

  def adopt(source: Path, file: OutputFile): (Seq[Seq[String]], Seq[Boolean]) = {
    val keys = WrittenSkeleton.column(source, "id").map(_.get)
    val input = HadoopInputFile.fromPath(source, conf)
    Using.resources(ParquetFileReader.open(input), input.newStream()) { (reader, from) =>
      val writer = new SkeletonWriter(file, conf, layout, facts, reader.getRecordCount)
      val canCopy = RawKeys.areIn(reader.getFooter, "id")
      val blocks = reader.getFooter.getBlocks.asScala.toSeq
      val ends = blocks.scanLeft(0)(_ + _.getRowCount.toInt)
      val done = blocks.zip(ends).map { case (block, first) =>
        val held = keys.slice(first, first + block.getRowCount.toInt)
        val raw = if (canCopy) RawKeys.of(from, block, "id") else None
        writer.startGroup(block.getRowCount, raw)
        held.foreach(key => writer.add(UTF8String.fromString(key)))
        writer.endGroup()
        (held, raw.nonEmpty)
      }
      writer.close()
      done.unzip
    }
  }
}
