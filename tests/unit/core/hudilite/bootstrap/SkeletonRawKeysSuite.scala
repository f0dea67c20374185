package hudilite.bootstrap

import java.nio.file.Files

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.fs.Path
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.ParquetProperties.WriterVersion.PARQUET_2_0
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.hadoop.metadata._
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.MessageType
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.RandomText
import hudilite.format.{HFileSuite, MetaFields}
import hudilite.index.KeyFiles
import hudilite.io.TempFolder
import hudilite.view.FileSlice

class SkeletonRawKeysSuite extends AnyFunSuite {
  import RawSources._
  import WrittenSkeleton.{check, conf, layout, open}

  private val few = Seq.tabulate(40)(i => s"key${i * 7 % 40}")

  private val repeated = Seq.tabulate(40)(i => s"key${i * 7 % 5}")

  private def inFiles[A](test: (Path, Path) => A): A =
    TempFolder.use(dir => test(new Path(dir, "source.parquet"), new Path(dir, "s.parquet")))

  /** Bytes of the chunks of one column, one after another. */
  private def chunks(path: Path, column: String): Seq[Byte] = {
    val file = HadoopInputFile.fromPath(path, conf)
    open(path) { reader =>
      Using.resource(file.newStream()) { from =>
        reader.getFooter.getBlocks.asScala.toSeq.flatMap { block =>
          val chunk = block.getColumns.asScala.find(_.getPath.toDotString == column).get
          val bytes = new Array[Byte](chunk.getTotalSize.toInt)
          from.seek(chunk.getStartingPos)
          from.readFully(bytes)
          bytes.toSeq
        }
      }
    }
  }

  for (kind <- kinds)
    test(
      s"keys are copied as they are, and what the skeleton says of them is right: ${kind.name}"
    ) {
      val text = new RandomText("SkeletonRawKeysSuite")
      val pool = Vector.fill(12)(text.text(5)).filter(_.nonEmpty) :+ "k"
      (0 until 6).foreach { round =>
        inFiles { (source, skeleton) =>
          val keys = Seq.fill(1 + text.int(100)) {
            if (kind.hasDictionary) pool(text.int(pool.size)) else s"${text.text(4)}${text.int(9)}"
          }
          write(source, kind, keys, 1 + text.int(60))
          val (groups, areCopied) = adopt(source, skeleton)
          val clue = s"seed ${text.seed}, round $round"
          assert(areCopied.forall(identity), clue)
          check(skeleton, groups, clue)
          assert(chunks(skeleton, MetaFields.RecordKey) == chunks(source, "id"), clue)
          assert(encodings(skeleton, MetaFields.RecordKey) == encodings(source, "id"), clue)
        }
      }
    }

  private def encodings(path: Path, column: String) = open(path) {
    _.getFooter.getBlocks.asScala.toSeq.flatMap(_.getColumns.asScala).collect {
      case chunk if chunk.getPath.toDotString == column =>
        val stats = chunk.getEncodingStats
        val isV2 = stats.usesV2Pages
        (isV2, chunk.getCodec, stats.getDataEncodings.asScala, stats.getDictionaryEncodings.asScala)
    }
  }

  test("a source without indexes of its pages gets a skeleton that has them") {
    inFiles { (source, skeleton) =>
      Seq(kinds.head, kinds(1)).foreach { kind =>
        val first = source.suffix(kind.name.take(1))
        val bare = first.suffix("bare")
        val to = skeleton.suffix(kind.name.take(1))
        write(first, kind, repeated, 17)
        withoutIndexes(first, bare)
        val chunk = open(bare)(reader => reader.readOffsetIndex(idOf(reader.getFooter)))
        assert(chunk == null)
        val (groups, areCopied) = adopt(bare, to)
        assert(areCopied == Seq(true, true, true))
        check(to, groups)
      }
    }
  }

  test("bounds that a source has wrong, or in another order, do not get into the skeleton") {
    inFiles { (source, skeleton) =>
      withWrongBounds(source, few)
      assert(open(source)(r => idOf(r.getFooter).getStatistics.minAsString) == "m")
      val (groups, areCopied) = adopt(source, skeleton)
      assert(areCopied == Seq(true))
      check(skeleton, groups)
    }
  }

  test("a source of plain pages has a skeleton that look-ups read by the fast road") {
    for ((kind, isPlain) <- Seq(kinds.head -> true, kinds(1) -> false, kinds(2) -> false))
      inFiles { (source, skeleton) =>
        write(source, kind, repeated, 17)
        adopt(source, skeleton)
        open(skeleton)(reader => assert(KeyFiles.isPlain(reader.getFooter) == isPlain))
      }
  }

  test("columns that are no optional texts are not copied") {
    val fields = Map(
      "optional binary id (UTF8);" -> true,
      "optional binary id;" -> true,
      "required binary id (UTF8);" -> false,
      "repeated binary id (UTF8);" -> false,
      "optional binary id (ENUM);" -> false,
      "optional binary id (DECIMAL(5, 2));" -> false,
      "optional int64 id;" -> false,
      "optional fixed_len_byte_array(3) id;" -> false,
      "optional group id { optional binary id (UTF8); }" -> false,
      "optional binary ID (UTF8);" -> false
    )
    fields.foreach { case (field, canCopy) =>
      val schema = parse(field)
      assert(RawKeys.areIn(footer(chunk(schema), schema), "id") == canCopy, field)
    }
  }

  test("chunks that not all readers know, or read as they stand, are not copied") {
    val plain = Set(Encoding.PLAIN, Encoding.RLE)
    val delta = Set(Encoding.DELTA_BYTE_ARRAY, Encoding.RLE)
    val ours = parse("optional binary id (UTF8);")
    def areIn(
        encodings: Set[Encoding] = plain,
        codec: CompressionCodecName = CompressionCodecName.SNAPPY,
        by: String = "parquet-mr version 1.13.1 (build 1)",
        encryption: EncryptionType = EncryptionType.UNENCRYPTED
    ) = RawKeys.areIn(footer(chunk(ours, encodings, codec), ours, by, encryption), "id")

    assert(areIn() && areIn(delta) && areIn(by = "parquet-cpp-arrow version 19.0.0"))
    assert(areIn(codec = CompressionCodecName.ZSTD))
    assert(!areIn(encodings = plain + Encoding.BYTE_STREAM_SPLIT))
    assert(!areIn(codec = CompressionCodecName.LZO))
    assert(!areIn(codec = CompressionCodecName.BROTLI))
    assert(!areIn(by = "parquet-mr version 1.6.0 (build 1)"))
    assert(!areIn(by = "parquet-mr"))
    // Bounds of that build are known to be right, but not its DELTA_BYTE_ARRAY.
    assert(areIn(by = "parquet-mr version 1.5.0-cdh5.5.0"))
    assert(!areIn(delta, by = "parquet-mr version 1.5.0-cdh5.5.0"))
    assert(!areIn(encryption = EncryptionType.PLAINTEXT_FOOTER))
    assert(!areIn(encryption = EncryptionType.ENCRYPTED_FOOTER))
  }

  test("a chunk whose pages do not fill it, or contain other rows, is encoded again") {
    inFiles { (source, _) =>
      write(source, kinds(1), repeated, 100)
      val file = HadoopInputFile.fromPath(source, conf)
      val block = open(source)(_.getFooter.getBlocks.get(0))
      val id = block.getColumns.get(1)
      def found(rows: Long, bytes: Long): Option[RawKeys] = {
        val other = new BlockMetaData
        other.setRowCount(rows)
        other.addColumn(resized(id, bytes))
        Using.resource(file.newStream())(RawKeys.of(_, other, "id"))
      }
      assert(id.hasDictionaryPage)
      val bytes = id.getTotalSize
      assert(found(40, bytes).exists(_.rows == 40))
      assert(found(39, bytes).isEmpty && found(41, bytes).isEmpty)
      assert(found(40, bytes - 1).isEmpty)
      assert(found(40, 200L << 20).isEmpty)
    }
  }

  test("look-ups find every key in a skeleton, copied or not, and no other") {
    val keys = Seq.tabulate(300)(i => s"key${i * 7 % 300}${Seq("", "é", "\uff21", "😀")(i % 4)}")
    for (kind <- kinds; isCopied <- Seq(true, false))
      inFiles { (source, skeleton) =>
        write(source, kind, keys, 120)
        if (isCopied) adopt(source, skeleton): Unit
        else WrittenSkeleton.write(skeleton, keys.grouped(120).toSeq)
        val bytes = skeleton.getFileSystem(conf).getFileStatus(skeleton).getLen
        val slice = FileSlice.ofBase("", "f", "1", skeleton, bytes)
        val absent = keys.map(_ + "x")
        assert(KeyFiles.found(slice, keys ++ absent) == keys.toSet, kind.name)
        keys.grouped(20).foreach { some =>
          assert(KeyFiles.found(slice, some ++ absent.take(20)) == some.toSet, kind.name)
        }
      }
  }

  test("the length of a file of copied keys is known without writing it") {
    inFiles { (source, skeleton) =>
      write(source, kinds(1), repeated, 17)
      adopt(source, skeleton)
      val dry = new SizedFile
      adopt(source, dry)
      assert(dry.bytes == skeleton.getFileSystem(conf).getFileStatus(skeleton).getLen)
    }
  }

  test("copied keys of another number of rows are refused") {
    inFiles { (source, _) =>
      write(source, kinds.head, few, 100)
      val writer = new SkeletonWriter(new SizedFile, conf, layout, WrittenSkeleton.facts, 40)
      val file = HadoopInputFile.fromPath(source, conf)
      val block = open(source)(_.getFooter.getBlocks.get(0))
      val raw = Using.resource(file.newStream())(RawKeys.of(_, block, "id"))
      assertThrows[IllegalArgumentException](writer.startGroup(39, raw))
      writer.startGroup(40, raw)
      few.tail.foreach(key => writer.add(UTF8String.fromString(key)))
      assertThrows[IllegalStateException](writer.endGroup())
      writer.abandon()
    }
  }

  // Written by pyarrow 25: a dictionary that grew too large, without indexes; and v2 pages of deltas.
  for (name <- Seq("fallback", "v2"))
    test(s"keys of another writer are copied: $name") {
      inFiles { (source, skeleton) =>
        Files.write(TempFolder.local(source), HFileSuite.resource(s"pyarrow-25/$name.parquet"))
        val (groups, areCopied) = adopt(source, skeleton)
        assert(areCopied == Seq(true, true) && groups.map(_.size) == Seq(150, 150))
        check(skeleton, groups)
        assert(chunks(skeleton, MetaFields.RecordKey) == chunks(source, "id"))
        // That writer says of its v2 pages that they are of the first version.
        assert(encodings(skeleton, MetaFields.RecordKey).forall(_._1 == (name == "v2")))
        assert(encodings(source, "id").forall(!_._1))
      }
    }

  test("a v2 source of several groups keeps each") {
    inFiles { (source, skeleton) =>
      write(source, Kind("v2", version = PARQUET_2_0), few, 11)
      val (groups, areCopied) = adopt(source, skeleton)
      assert(areCopied == Seq(true, true, true, true) && groups.map(_.size) == Seq(11, 11, 11, 7))
      check(skeleton, groups)
    }
  }

  private def idOf(footer: ParquetMetadata): ColumnChunkMetaData =
    footer.getBlocks.get(0).getColumns.asScala.find(_.getPath.toDotString == "id").get

  private def chunk(
      schema: MessageType,
      encodings: Set[Encoding] = Set(Encoding.PLAIN),
      codec: CompressionCodecName = CompressionCodecName.SNAPPY
  ): ColumnChunkMetaData = {
    val column = schema.getColumns.get(0)
    val path = ColumnPath.get(column.getPath: _*)
    val kind = column.getPrimitiveType
    ColumnChunkMetaData.get(
      path,
      kind,
      codec,
      null,
      encodings.asJava,
      Statistics.createStats(kind),
      4,
      0,
      1,
      9,
      9
    )
  }

  private def resized(of: ColumnChunkMetaData, bytes: Long): ColumnChunkMetaData =
    ColumnChunkMetaData.get(
      of.getPath,
      of.getPrimitiveType,
      of.getCodec,
      of.getEncodingStats,
      of.getEncodings,
      of.getStatistics,
      of.getFirstDataPageOffset,
      of.getDictionaryPageOffset,
      of.getValueCount,
      bytes,
      bytes
    )

  private def footer(
      chunk: ColumnChunkMetaData,
      schema: MessageType,
      by: String = "parquet-mr version 1.16.0 (build 1)",
      encryption: EncryptionType = EncryptionType.UNENCRYPTED
  ): ParquetMetadata = {
    val block = new BlockMetaData
    block.setRowCount(1)
    block.addColumn(chunk)
    val none = new java.util.HashMap[String, String]
    new ParquetMetadata(
      new FileMetaData(schema, none, by, encryption, null),
      java.util.List.of(block)
    )
  }
}
