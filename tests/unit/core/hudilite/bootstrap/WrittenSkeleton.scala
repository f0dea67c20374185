package hudilite.bootstrap

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays.compareUnsigned

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.example.data.Group
import org.apache.parquet.hadoop.example.GroupReadSupport
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData, CompressionCodecName}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.hadoop.{ParquetFileReader, ParquetReader}
import org.apache.parquet.internal.column.columnindex.{ColumnIndex, OffsetIndex}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.Assertions

import hudilite.format.MetaFields
import hudilite.index.KeyFooter
import hudilite.io.NewFile

/** Skeletons that tests write, and all that one must say. */
object WrittenSkeleton extends Assertions {
  val conf = new Configuration(false)
  val facts: SkeletonFacts = SkeletonFacts("00000000000001", 7, "part=é/d=1", "f_7-0-0_1.parquet")
  val layout: SkeletonLayout = SkeletonLayout(CompressionCodecName.SNAPPY, 5, "DYNAMIC_V0")

  /** @param groups keys of each row group */
  def write(path: Path, groups: Seq[Seq[String]], layout: SkeletonLayout = layout): Unit = {
    val file = new NewFile(path, conf)
    val rows = groups.map(_.size.toLong).sum
    val writer = new SkeletonWriter(file, conf, layout, facts, rows, Map("ours" -> "too"))
    groups.foreach { keys =>
      writer.startGroup(keys.size.toLong)
      val reused = new Array[Byte](1 << 16)
      keys.foreach { key =>
        val bytes = key.getBytes(UTF_8)
        bytes.copyToArray(reused)
        writer.add(UTF8String.fromBytes(reused, 0, bytes.length))
      }
      writer.endGroup()
    }
    writer.close()
  }

  def open[A](path: Path)(use: ParquetFileReader => A): A = {
    val options = HadoopReadOptions.builder(conf).usePageChecksumVerification(true).build()
    Using.resource(ParquetFileReader.open(HadoopInputFile.fromPath(path, conf), options))(use)
  }

  /** Texts of one column, by Parquet's own reader; a null as None. */
  def column(path: Path, name: String): Vector[Option[String]] =
    Using.resource(
      ParquetReader.builder[Group](new GroupReadSupport, path).withConf(
        conf
      ).usePageChecksumVerification(true).build()
    ) { rows =>
      Iterator
        .continually(rows.read())
        .takeWhile(_ != null)
        .map(row => Option.when(row.getFieldRepetitionCount(name) > 0)(row.getString(name, 0)))
        .toVector
    }

  def pairs(path: Path): Map[String, String] =
    open(path)(_.getFileMetaData.getKeyValueMetaData.asScala.toMap)

  /** What the columns of a skeleton must hold. */
  def expected(keys: Seq[String]): Map[String, Seq[String]] = Map(
    MetaFields.CommitTime -> keys.map(_ => facts.instant),
    MetaFields.CommitSeqno -> keys.indices.map(i => s"00000000000001_7_$i"),
    MetaFields.RecordKey -> keys,
    MetaFields.PartitionPath -> keys.map(_ => facts.partition),
    MetaFields.FileName -> keys.map(_ => facts.fileName)
  )

  /** Holds values, row groups, bounds, indexes and pairs of a file against its keys. */
  def check(path: Path, groups: Seq[Seq[String]], clue: String = ""): Unit = withClue(clue) {
    val texts = expected(groups.flatten)
    assert(open(path)(_.getFileMetaData.getSchema) == SkeletonSchema.message)
    MetaFields.all.foreach(name => assert(column(path, name) == texts(name).map(Option(_)), name))
    open(path) { reader =>
      val blocks = reader.getFooter.getBlocks.asScala.toSeq
      assert(blocks.map(_.getRowCount) == groups.map(_.size.toLong).filter(_ > 0))
      blocks.zip(blocks.scanLeft(0L)(_ + _.getRowCount)).foreach { case (block, from) =>
        checkGroup(reader, block,
          name => texts(name).slice(from.toInt, (from + block.getRowCount).toInt))
      }
      checkFooter(reader, groups.flatten)
    }
  }

  private def checkGroup(
      reader: ParquetFileReader,
      block: BlockMetaData,
      texts: String => Seq[String]
  ): Unit = {
    val chunks = block.getColumns.asScala.toSeq
    assert(chunks.map(_.getPath.toDotString) == MetaFields.all)
    assert(block.getTotalByteSize == chunks.map(_.getTotalUncompressedSize).sum)
    chunks.foreach { chunk =>
      val name = chunk.getPath.toDotString
      val values = texts(name).map(_.getBytes(UTF_8))
      withClue(s"$name: ") {
        assert(chunk.getValueCount == values.size)
        checkBounds(chunk, values)
        checkPages(chunk, reader.readColumnIndex(chunk), reader.readOffsetIndex(chunk), values)
      }
    }
  }

  private def checkBounds(chunk: ColumnChunkMetaData, values: Seq[Array[Byte]]): Unit = {
    if (values.map(_.length).max < 1000) { // Parquet leaves bounds out that are much longer
      assert(chunk.getStatistics.getNumNulls == 0)
      assert(shown(chunk.getStatistics.getMinBytes) == shown(least(values)))
      assert(shown(chunk.getStatistics.getMaxBytes) == shown(greatest(values)))
    }
  }

  /** Indexes cut what is longer than 64 bytes. */
  private def checkPages(
      chunk: ColumnChunkMetaData,
      bounds: ColumnIndex,
      pages: OffsetIndex,
      values: Seq[Array[Byte]]
  ): Unit = {
    assert(pages != null && bounds != null)
    assert(pages.getOffset(0) == chunk.getFirstDataPageOffset)
    assert(bounds.getNullCounts.asScala.forall(_ == 0L))
    val count = pages.getPageCount
    assert(bounds.getMinValues.size == count)
    val bytes = (0 until count).map(pages.getCompressedPageSize(_).toLong).sum
    assert(pages.getOffset(0) - chunk.getStartingPos + bytes == chunk.getTotalSize)
    (0 until count).foreach { i =>
      val held = values.slice(
        pages.getFirstRowIndex(i).toInt,
        pages.getLastRowIndex(i, values.size.toLong).toInt + 1
      )
      val (min, max) = (array(bounds.getMinValues.get(i)), array(bounds.getMaxValues.get(i)))
      val (first, last) = (least(held), greatest(held))
      assert(
        if (first.length > 64) first.startsWith(min) && min.nonEmpty else shown(first) == shown(min)
      )
      assert(
        if (last.length > 64) compareUnsigned(max, last) >= 0 && max.length <= last.length
        else shown(last) == shown(max)
      )
    }
  }

  private def checkFooter(reader: ParquetFileReader, keys: Seq[String]): Unit = {
    val pairs = reader.getFileMetaData.getKeyValueMetaData.asScala.toMap
    assert(pairs.get("hoodie_min_record_key") == keys.minOption)
    assert(pairs.get("hoodie_max_record_key") == keys.maxOption)
    assert(pairs("parquet.avro.schema") == SkeletonSchema.avro)
    assert(pairs("writer.model.name") == "avro")
    val bytes = keys.map(_.getBytes(UTF_8))
    val isSorted = bytes.zip(bytes.drop(1)).forall { case (a, b) => compareUnsigned(a, b) < 0 }
    assert(pairs.get("hudilite.sorted") == Option.when(isSorted)("record_key"))
    val footer = KeyFooter.of(reader.getFooter, "f")
    assert(footer.filter.exists(filter => bytes.forall(key => filter.mightContain(key))))
    assert(!footer.filter.exists(_.mightContain("no such key".getBytes(UTF_8))))
  }

  def pageRows(path: Path, name: String): Seq[Int] = open(path) { reader =>
    reader.getFooter.getBlocks.asScala.toSeq.flatMap { block =>
      val chunk = block.getColumns.asScala.find(_.getPath.toDotString == name).get
      val pages = reader.readOffsetIndex(chunk)
      (0 until pages.getPageCount).map { i =>
        (pages.getLastRowIndex(i, block.getRowCount) - pages.getFirstRowIndex(i) + 1).toInt
      }
    }
  }

  private def least(values: Seq[Array[Byte]]) = values.min(bytesOrder)
  private def greatest(values: Seq[Array[Byte]]) = values.max(bytesOrder)
  private val bytesOrder: Ordering[Array[Byte]] = (a, b) => compareUnsigned(a, b)
  private def shown(bytes: Array[Byte]): Seq[Byte] = bytes.toSeq
  private def array(buffer: ByteBuffer): Array[Byte] = {
    val bytes = new Array[Byte](buffer.remaining)
    buffer.duplicate().get(bytes)
    bytes
  }
}
