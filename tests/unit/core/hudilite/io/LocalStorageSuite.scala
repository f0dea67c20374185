package hudilite.io

import java.io.IOException
import java.nio.file.Files
import java.util.concurrent.{Callable, CyclicBarrier, Executors}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException

class LocalStorageSuite extends AnyFunSuite {
  import TempFolder._

  private def condition(call: => Any): String = intercept[HudiliteException](call).condition

  test("a resolved path is the one of Hadoop's own constructor, whatever its names contain") {
    val folders = Seq("/", "/a", "file:/", "file:/a b", "file:///a%20b/c", "s3a://bucket/",
      "s3a://bucket/t", "hdfs://host:8020/x y", "relative/t", "abfs://c@a.dfs.net/t")
    val names = Seq("f", ".hoodie", "a:b", "p=1/q=x y", "100%", "a%20b", "p=ü", "a+b&c?d#e", "a//b",
      "'\"{}[]|^`", "x\\y", "k=__HIVE_DEFAULT_PARTITION__/f.parquet")
    for (folder <- folders; name <- names) {
      val dir = new Path(folder)
      val expected = new Path(dir, new Path(None.orNull, None.orNull, name))
      assert(Storage.resolve(dir, name) == expected, s"$folder and $name")
      assert(Storage.resolve(dir, name).toString == expected.toString)
    }
    assert(Storage.resolve(new Path("/a"), "") == new Path("/a"))
  }

  test("createNew makes parents, writes all bytes and leaves no other file") {
    use { dir =>
      val file = Storage.resolve(dir, "a/b/c")
      assert(LocalStorage.createNew(file, bytes("x" * 100000)))
      assert(text(file) == "x" * 100000)
      assert(names(file.getParent) == Set("c"))
    }
  }

  // F58
  test("createNew leaves a file that is there as it is") {
    use { dir =>
      val file = Storage.resolve(dir, "f")
      assert(LocalStorage.createNew(file, bytes("first")))
      assert(!LocalStorage.createNew(file, bytes("second")))
      assert(text(file) == "first")
      assert(names(dir) == Set("f"))
    }
  }

  test("replace puts whole new bytes in place and drops the stale checksum") {
    use { dir =>
      val file = Storage.resolve(dir, "f")
      assert(LocalStorage.createNew(file, bytes("first")))
      TempFolder.write(Storage.resolve(dir, ".f.crc"), "stale")
      LocalStorage.replace(file, bytes("second"))
      assert(text(file) == "second")
      assert(Files.list(java.nio.file.Path.of(dir.toUri.getPath)).count() == 1)
      LocalStorage.replace(Storage.resolve(dir, "new"), bytes("x"))
      assert(names(dir) == Set("f", "new"))
    }
  }

  // F06, F21, F58
  test("of four threads that create one file exactly one wins, and the file is whole at once") {
    use { dir =>
      val rounds = 200
      val barrier = new CyclicBarrier(4)
      val pool = Executors.newFixedThreadPool(4)
      val tasks = (0 until 4).map { id =>
        new Callable[Vector[Boolean]] {
          def call(): Vector[Boolean] = (0 until rounds).toVector.map { round =>
            barrier.await()
            val file = Storage.resolve(dir, s"f$round")
            val won = LocalStorage.createNew(file, bytes(id.toString * 5000))
            assert(text(file).length == 5000)
            won
          }
        }
      }
      val won = pool.invokeAll(tasks.asJava).asScala.map(_.get).toVector
      pool.shutdown()
      assert(won.transpose.forall(_.count(identity) == 1))
    }
  }

  // F54
  test("a stale checksum file of Hadoop does not spoil a new file") {
    use { dir =>
      val conf = new Configuration
      val file = Storage.resolve(dir, "f")
      val hadoop = FileSystem.getLocal(conf)
      val out = hadoop.create(file)
      out.write(bytes("written by Hadoop"))
      out.close()
      Files.delete(local(file))
      assert(names(dir) == Set(".f.crc"))
      assert(LocalStorage.createNew(file, bytes("other bytes")))
      val in = hadoop.open(file)
      assert(new String(in.readAllBytes()) == "other bytes")
      in.close()
    }
  }

  test("list shows files and folders but no side files, and nothing for an absent folder") {
    use { dir =>
      Seq("f", ".f.crc", ".f.1.hudilite-new", ".hidden", "sub/g").foreach(n =>
        write(Storage.resolve(dir, n), "abc")
      )
      val shown = LocalStorage.list(dir).map(e => (e.name, e.length, e.isDirectory)).toSet
      assert(shown == Set(("f", 3L, false), (".hidden", 3L, false), ("sub", 0L, true)))
      assert(LocalStorage.list(Storage.resolve(dir, "none")).isEmpty)
      assert(LocalStorage.list(Storage.resolve(dir, "f")).isEmpty)
    }
  }

  // F63
  test("a temporary name has no part of the name of a data file") {
    val log = new Path("/t/p/.00000003-aa-0_20260101000000000.log.1_0-1-2")
    val name = Storage.temporary(log).getName
    assert(!Storage.isVisible(name) && !name.contains("_") && !name.contains("log"))
  }

  // F63
  test("a folder that cannot be listed is not taken for an empty one") {
    use { dir =>
      val beyond = Storage.resolve(dir, "x" * 300)
      intercept[IOException](LocalStorage.list(beyond))
      intercept[IOException](LocalStorage.names(beyond))
      assert(LocalStorage.names(Storage.resolve(dir, "none")).isEmpty)
    }
  }

  // F83
  test("a folder is entered durably, and not by a link that leads out of its table") {
    use { dir =>
      val (table, outside) = (Storage.resolve(dir, "t"), Storage.resolve(dir, "outside"))
      Seq(table, outside).foreach(LocalStorage.mkdirs)
      LocalStorage.enter(table, "a/b")
      assert(LocalStorage.list(table).map(_.name) == Seq("a"))
      Seq("out" -> outside, "in" -> Storage.resolve(table, "a")).foreach { case (name, to) =>
        Files.createSymbolicLink(local(Storage.resolve(table, name)), local(to))
      }
      LocalStorage.enter(table, "in/c")
      assert(LocalStorage.status(Storage.resolve(table, "a/c")).nonEmpty)
      Seq("out", "out/d", "..").foreach { folder =>
        assert(condition(LocalStorage.enter(table, folder)) == "HUDILITE_PATH_INVALID")
      }
      assert(names(outside).isEmpty)
    }
  }

  test("names may hold colons, spaces, percent signs, brackets and other letters") {
    use { dir =>
      val odd = Seq("a:b", "p=1 x%3A%25é", "[x]{y}", "今日", "a+b#c", "back\\slash")
      odd.foreach(n => assert(LocalStorage.createNew(Storage.resolve(dir, s"$n/f"), bytes(n))))
      assert(LocalStorage.list(dir).map(_.name).toSet == odd.toSet)
      odd.foreach(n => assert(text(Storage.resolve(Storage.resolve(dir, n), "f")) == n))
      assert(LocalStorage.list(dir).forall(e => LocalStorage.list(e.path).length == 1))
    }
  }

  test("status, read and delete of an absent file") {
    use { dir =>
      val file = Storage.resolve(dir, "f")
      assert(LocalStorage.status(file).isEmpty)
      assert(LocalStorage.status(Storage.resolve(file, "below")).isEmpty)
      assert(!LocalStorage.delete(file))
      assert(!LocalStorage.deleteTree(file))
      assert(condition(LocalStorage.read(file)) == "HUDILITE_MISSING_FILE")
      write(file, "x")
      assert(LocalStorage.status(Storage.resolve(file, "below")).isEmpty)
      assert(
        condition(LocalStorage.read(Storage.resolve(file, "below"))) == "HUDILITE_MISSING_FILE"
      )
    }
  }

  // F91
  test("a file above the limit is not read") {
    use { dir =>
      val file = Storage.resolve(dir, "f")
      val sparse = new java.io.RandomAccessFile(local(file).toFile, "rw")
      sparse.setLength(Storage.maxReadBytes + 1)
      sparse.close()
      assert(condition(LocalStorage.read(file)) == "HUDILITE_LIMIT_EXCEEDED")
      val length = Storage.maxReadBytes + 1
      assert(condition(LocalStorage.readListed(file, length)) == "HUDILITE_LIMIT_EXCEEDED")
      assert(LocalStorage.readListed(file, length, most = length).length == length)
    }
  }

  // F83
  test("delete refuses a folder, deleteTree does not follow links") {
    use { dir =>
      write(Storage.resolve(dir, "victim/keep"), "x")
      write(Storage.resolve(dir, "tree/a/b"), "x")
      Files.createSymbolicLink(
        local(Storage.resolve(dir, "tree/link")),
        local(Storage.resolve(dir, "victim"))
      )
      intercept[IOException](LocalStorage.delete(Storage.resolve(dir, "tree")))
      assert(LocalStorage.deleteTree(Storage.resolve(dir, "tree")))
      assert(names(dir) == Set("victim"))
      assert(text(Storage.resolve(dir, "victim/keep")) == "x")
    }
  }

  // F16
  test("an interrupted thread finishes its call and stays interrupted") {
    use { dir =>
      val file = Storage.resolve(dir, "a/f")
      Thread.currentThread.interrupt()
      val created = LocalStorage.createNew(file, bytes("x"))
      val read = LocalStorage.read(file)
      LocalStorage.fsync(file)
      assert(Thread.interrupted())
      assert(created && new String(read) == "x")
    }
  }

  // F55
  test("no space left keeps the system's text and leaves nothing behind") {
    val full = new Path("file:///dev/full/x")
    val e = intercept[IOException](LocalStorage.createNew(full, bytes("x")))
    assert(e.getMessage.contains("/dev/full"))
  }

  test("storage of a path without a scheme is the default file system's") {
    val conf = new Configuration
    assert(Storage.of(new Path("/tmp/x"), conf) eq LocalStorage)
    assert(Storage.of(new Path("file:///tmp/x"), conf) eq LocalStorage)
    assert(Storage.of(new Path("viewfs://c/x"), mounted()).isInstanceOf[HadoopStorage])
  }

  private def mounted(): Configuration = {
    val conf = new Configuration
    conf.set("fs.viewfs.mounttable.c.link./x", "file:///tmp")
    conf
  }
}
