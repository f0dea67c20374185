package hudilite.bootstrap

import scala.jdk.CollectionConverters._
import scala.util.{Random, Using}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileAlreadyExistsException, Path}
import org.apache.parquet.format.Util
import org.apache.parquet.hadoop.metadata.CompressionCodecName.{GZIP, SNAPPY, UNCOMPRESSED, ZSTD}
import org.apache.parquet.hadoop.util.{HadoopInputFile, HadoopOutputFile}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.RandomText
import hudilite.format.MetaFields
import hudilite.index.KeyFiles
import hudilite.io.{FakeStore, NewFile, TempFolder}

class SkeletonWriterSuite extends AnyFunSuite {
  import WrittenSkeleton._

  private def inFile[A](test: Path => A): A = TempFolder.use(dir =>
    test(new Path(dir, "f.parquet"))
  )

  private def bytes(path: Path): Long = path.getFileSystem(conf).getFileStatus(path).getLen

  private def chunkBytes(path: Path, name: String): Seq[Long] = open(path) {
    _.getFooter.getBlocks.asScala.toSeq.map {
      _.getColumns.asScala.find(_.getPath.toDotString == name).get.getTotalSize
    }
  }

  for (codec <- Seq(SNAPPY, GZIP, UNCOMPRESSED, ZSTD))
    test(s"rows, row groups, bounds, indexes and footer are those of the keys ($codec)") {
      inFile { path =>
        val groups = Seq(12, 1, 130, 3).scanLeft(Vector.empty[String]) { (_, rows) =>
          Vector.tabulate(rows)(i => s"key${i * 7919 % 1000}")
        }.drop(1)
        write(path, groups, layout.copy(codec = codec))
        check(path, groups)
        assert(pairs(path)("ours") == "too")
        assert(pageRows(path, MetaFields.RecordKey).max == layout.pageRows)
        assert(pageRows(path, MetaFields.CommitSeqno).max == layout.pageRows)
        assert(pageRows(path, MetaFields.FileName) == Seq(12, 1, 130, 3))
      }
    }

  test("keys of any text, in any order, in any groups") {
    val text = new RandomText("SkeletonWriterSuite")
    (0 until 40).foreach { round =>
      inFile { path =>
        val groups = Seq.fill(text.int(4)) {
          Seq.fill(text.int(60))(text.text(6)).filter(_.nonEmpty)
        }
        val pageRows = 1 + text.int(30)
        write(path, groups, layout.copy(pageRows = pageRows))
        check(path, groups, s"seed ${text.seed}, round $round")
      }
    }
  }

  test("sequence numbers go on over pages and groups, with bounds in the order of texts") {
    inFile { path =>
      val groups = Seq(8, 3, 990, 10500, 88501).map(rows => Seq.tabulate(rows)(i => s"$i"))
      write(path, groups, layout.copy(pageRows = 1000))
      check(path, groups)
    }
  }

  test("the range is by UTF-16 units, and order by bytes") {
    val (high, beyond) = ("\uff21", "\ud83d\ude00")
    inFile { path =>
      write(path, Seq(Seq("a", high, beyond)))
      check(path, Seq(Seq("a", high, beyond)))
      assert(pairs(path)("hoodie_max_record_key") == high)
      assert(pairs(path)("hudilite.sorted") == "record_key")
    }
    inFile { path =>
      write(path, Seq(Seq("a"), Seq(beyond, high)))
      check(path, Seq(Seq("a"), Seq(beyond, high)))
      assert(!pairs(path).contains("hudilite.sorted"))
    }
  }

  test("a repeated key is not sorted, in one group or two") {
    Seq(Seq(Seq("a", "a")), Seq(Seq("a"), Seq("a")), Seq(Seq("b"), Seq("a"))).foreach { groups =>
      inFile { path =>
        write(path, groups)
        check(path, groups)
        assert(!pairs(path).contains("hudilite.sorted"))
      }
    }
  }

  test("a source without rows has a skeleton; a group without rows has none") {
    for (
      groups <- Seq(Seq.empty[Seq[String]], Seq(Seq.empty[String]), Seq(Seq("a"), Seq(), Seq("b")))
    )
      inFile { path =>
        write(path, groups)
        check(path, groups)
      }
  }

  test("long keys end a page before its rows do, and may be longer than one") {
    inFile { path =>
      val keys = Vector.tabulate(40)(i => s"$i-" + "x" * 60000)
      write(path, Seq(keys), layout.copy(pageRows = 1000))
      check(path, Seq(keys))
      assert(pageRows(path, MetaFields.RecordKey).forall(rows => rows <= 17))
    }
    inFile { path =>
      val file = HadoopOutputFile.fromPath(path, conf)
      val writer = new SkeletonWriter(file, conf, layout, facts, 3)
      writer.startGroup(3)
      val keys = Seq("a", "b" * 3000000, "c")
      keys.foreach(key => writer.add(UTF8String.fromString(key)))
      writer.endGroup()
      writer.close()
      assert(column(path, MetaFields.RecordKey) == keys.map(Option(_)))
      assert(pageRows(path, MetaFields.RecordKey) == Seq(1, 1, 1))
    }
  }

  test("sizes: a small file, constants, and sequence numbers") {
    inFile { path =>
      write(path, Seq(Seq.tabulate(50)(i => s"key$i")), layout.copy(pageRows = 5000))
      assert(bytes(path) < 5000)
    }
    inFile { path =>
      val groups = Seq.fill(4)(Seq.tabulate(25000)(i => s"key$i"))
      write(path, groups, layout.copy(pageRows = 5000))
      assert(chunkBytes(path, MetaFields.CommitSeqno).sum < 30000)
      Seq(MetaFields.CommitTime, MetaFields.PartitionPath, MetaFields.FileName).foreach { name =>
        assert(chunkBytes(path, name).max < 120, name)
      }
    }
  }

  test("the length of a file is known without writing it") {
    val random = new Random(5)
    Seq(Nil, Seq(1), Seq(50, 7), Seq(3000, 20000)).foreach { sizes =>
      inFile { path =>
        val groups = sizes.map(rows => Seq.fill(rows)(s"k${random.nextInt()}"))
        write(path, groups)
        val dry = new SizedFile
        val rows = sizes.map(_.toLong).sum
        val writer = new SkeletonWriter(dry, conf, layout, facts, rows, Map("ours" -> "too"))
        groups.foreach { keys =>
          writer.startGroup(keys.size.toLong)
          keys.foreach(key => writer.add(UTF8String.fromString(key)))
          writer.endGroup()
        }
        writer.close()
        assert(dry.bytes == bytes(path))
      }
    }
  }

  test("look-ups read the keys by the fast road, one group after another") {
    inFile { path =>
      write(path, Seq(Seq("b", "a"), Seq("c")))
      open(path)(reader => assert(KeyFiles.isPlain(reader.getFooter)))
    }
  }

  test("every page has a checksum") {
    inFile { path =>
      write(path, Seq(Seq.tabulate(12)(i => s"key$i")))
      open(path) { reader =>
        val chunks = reader.getFooter.getBlocks.get(0).getColumns.asScala
        Using.resource(HadoopInputFile.fromPath(path, conf).newStream()) { from =>
          chunks.foreach { chunk =>
            val pages = reader.readOffsetIndex(chunk)
            val starts = chunk.getStartingPos +: (0 until pages.getPageCount).map(pages.getOffset)
            starts.foreach { at =>
              from.seek(at)
              assert(Util.readPageHeader(from).isSetCrc)
            }
          }
        }
      }
    }
  }

  test("the footer's filter is of the type that is asked for") {
    inFile { path =>
      write(path, Seq(Seq("a")), layout.copy(filterType = "SIMPLE"))
      check(path, Seq(Seq("a")))
      assert(pairs(path)("hoodie_bloom_filter_type_code") == "SIMPLE")
    }
  }

  test("rows that are missing, or too many, are refused") {
    val writer = new SkeletonWriter(new SizedFile, conf, layout, facts, 1)
    val key = UTF8String.fromString("a")
    assertThrows[IllegalStateException](writer.add(key))
    writer.startGroup(1)
    assertThrows[IllegalStateException](writer.endGroup())
    writer.add(key)
    assertThrows[IllegalStateException](writer.add(key))
    writer.abandon()
  }

  test("nothing is written over a file, and an abandoned one is none") {
    inFile { path =>
      val file = HadoopOutputFile.fromPath(path, new Configuration(conf))
      val writer = new SkeletonWriter(file, conf, layout, facts, 1)
      writer.startGroup(1)
      writer.abandon()
      writer.abandon()
      assert(intercept[RuntimeException](open(path)(_ => ())).getMessage.contains("not a Parquet"))
      assertThrows[FileAlreadyExistsException](new SkeletonWriter(file, conf, layout, facts, 1))
    }
  }

  test("in an object store an abandoned skeleton is never seen") {
    TempFolder.use { dir =>
      val settings = new Configuration(conf)
      settings.set("fs.fake.impl", classOf[FakeStore].getName)
      val file = new NewFile(new Path(s"fake://bucket${dir.toUri.getPath}f"), settings)
      val writer = new SkeletonWriter(file, settings, layout, facts, 1)
      writer.startGroup(1)
      writer.abandon()
      assert(TempFolder.names(dir).isEmpty)
    }
  }

  test("the schema is as stock Hudi's skeletons have it") {
    assert(SkeletonSchema.message.getName == "HoodieRecordKey")
    val avro = new org.apache.avro.Schema.Parser().parse(SkeletonSchema.avro)
    assert(avro.getFullName == "HoodieRecordKey")
    assert(avro.getFields.asScala.map(_.name) == MetaFields.all)
  }
}
