package hudilite.view

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.format.{HFile, HFileSuite}
import hudilite.io.{LocalStorage, Storage, TempFolder}
import hudilite.timeline.TimelineFiles

class BootstrapIndexSuite extends AnyFunSuite {
  private val folder = ".hoodie/.aux/.bootstrap"
  private val name = "00000000-0000-0000-0000-000000000000-0_1-0-1_00000000000001.hfile"

  private def source(name: String): SourceFile =
    SourceFile(new Path(new Path("file:/source dir"), new Path(null, null, name)),
      name.length.toLong, 7L)

  private def of(partition: String, files: String*): BootstrapPartition = BootstrapPartition(
    partition,
    s"src/$partition",
    files.map(f => s"$f-id" -> source(s"$partition/$f.parquet")).toMap
  )

  private val partitions =
    Seq(of("d=2", "c"), of("d=1-x", "y"), of("d=1", "a", "b"), of("d=é 100%/e=x;fileid=1", "z"))

  private def files(base: Path): TimelineFiles = TimelineFiles.of(LocalStorage, base)

  private def write(base: Path, partitions: Seq[BootstrapPartition], created: Long = 5L): Unit =
    BootstrapIndex.write(files(base), new Path("file:/source dir"), partitions, created)

  private def read(base: Path, partition: String): Map[String, SourceFile] =
    BootstrapIndex.partition(files(base), partition)

  private def file(base: Path, by: String): Path = Storage.resolve(base, s"$folder/$by/$name")

  private def condition(call: => Any): String = intercept[HudiliteException](call).condition

  test("each partition's sources come back by file id, and none for another partition") {
    TempFolder.use { base =>
      assert(!BootstrapIndex.exists(files(base)))
      write(base, partitions)
      assert(BootstrapIndex.exists(files(base)))
      partitions.foreach(p => assert(read(base, p.partition) == p.files))
      Seq("", "d=", "d=3", "d=1-", "d=1-x;").foreach(p => assert(read(base, p).isEmpty, p))
    }
  }

  test("a table without partitions has one entry, and an empty source none") {
    TempFolder.use { base =>
      write(base, Seq(of("", "a")))
      assert(read(base, "") == of("", "a").files)
    }
    TempFolder.use { base =>
      write(base, Nil)
      assert(BootstrapIndex.exists(files(base)))
      assert(read(base, "").isEmpty)
    }
  }

  test("the whole mapping comes back with the paths of the source") {
    TempFolder.use { base =>
      Seq(partitions, Seq(of("", "a")), Nil).foreach { some =>
        write(base, some)
        val (source, found) = BootstrapIndex.mapping(files(base))
        assert(source == new Path("file:/source dir"))
        assert(found.sortBy(_.partition) == some.sortBy(_.partition))
        LocalStorage.deleteTree(Storage.resolve(base, ".hoodie"))
      }
      assert(
        condition(BootstrapIndex.mapping(files(base))) == "HUDILITE_MISSING_FILE"
      )
    }
  }

  test("the hash of a source's footer is kept, where there is one") {
    TempFolder.use { base =>
      val known = source("a.parquet").copy(footer = Some("0123456789abcdef" * 2))
      val mixed =
        BootstrapPartition("d=1", "d=1", Map("a" -> known, "b" -> source("b.parquet")))
      write(base, Seq(mixed))
      assert(read(base, "d=1") == mixed.files)
    }
  }

  test("a partition of many files is read whole") {
    TempFolder.use { base =>
      val many = of("d=1", Seq.tabulate(3000)(i => s"f$i"): _*)
      write(base, many +: partitions.filter(_.partition != "d=1"))
      assert(read(base, "d=1") == many.files)
      assert(read(base, "d=2") == of("d=2", "c").files)
    }
  }

  test("the same index is written twice without harm, another one is refused") {
    TempFolder.use { base =>
      write(base, partitions)
      write(base, partitions.reverse)
      assert(condition(write(base, partitions.take(1))) == "HUDILITE_CORRUPT_TIMELINE")
      partitions.foreach(p => assert(read(base, p.partition) == p.files))
    }
  }

  test("one file of the two is no index, and a write puts the other one") {
    TempFolder.use { base =>
      write(base, partitions)
      LocalStorage.delete(file(base, ".partitions"))
      assert(!BootstrapIndex.exists(files(base)))
      assert(condition(read(base, "d=1")) == "HUDILITE_MISSING_FILE")
      write(base, partitions)
      assert(BootstrapIndex.exists(files(base)))
    }
  }

  // Written by HFileBootstrapIndex of Hudi 1.2.0 and, with HBase, of 0.15.0.
  test("indexes of stock Hudi are read") {
    Seq("stock-1.2.0", "stock-0.15.0").foreach { version =>
      TempFolder.use { base =>
        place(base, HFileSuite.resource(s"$version/bootstrap-partitions.hfile"))
        Seq("part=d0", "part=d1").foreach { partition =>
          val found = read(base, partition)
          assert(
            found.keySet == Set("11111111-1111-1111-1111-11111111111", "2222").map(_ + partition)
          )
          assert(
            found("2222" + partition) ==
              SourceFile(new Path(s"file:/src/$partition/two.parquet"), 222L, 1700000000222L)
          )
        }
        assert(read(base, "part=d2").isEmpty)
        val (source, found) = BootstrapIndex.mapping(files(base))
        assert(source.toUri.getPath == "/src")
        assert(found.map(p => p.partition -> p.files) ==
          Seq("part=d0", "part=d1").map(p => p -> read(base, p)))
        assert(found.map(_.sourcePartition) == found.map(_.partition))
      }
    }
  }

  test("turned bytes of stock's index, which has no checksums, give no other error") {
    val seed = sys.env.get("HUDILITE_SEED").fold(System.nanoTime)(_.toLong)
    println(s"BootstrapIndexSuite: HUDILITE_SEED=$seed")
    val random = new java.util.Random(seed)
    val bytes = HFile
      .read(HFileSuite.resource("stock-1.2.0/bootstrap-partitions.hfile"), "f")
      .find("part=part=d0")
      .get
    Iterator.range(0, 2000).foreach { i =>
      val turned = bytes.clone
      Iterator
        .fill(1 + i % 3)(random.nextInt(bytes.length))
        .foreach(at => turned(at) = random.nextInt(256).toByte)
      try BootstrapRecords.sources(turned, "part=d0", new Path("/f")): Unit
      catch {
        case e: HudiliteException =>
          assert(e.condition == "HUDILITE_CORRUPT_TIMELINE", s"seed $seed")
      }
    }
  }

  private def place(base: Path, bytes: Array[Byte]): Unit =
    assert(LocalStorage.createNew(file(base, ".partitions"), bytes))
}
