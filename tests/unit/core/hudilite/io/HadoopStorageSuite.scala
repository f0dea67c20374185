package hudilite.io

import java.io.IOException
import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path, RawLocalFileSystem}
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException

/** Local files under the scheme `hdfs`, so that the code for HDFS runs; its promises are HDFS's
  * own. */
class HadoopStorageSuite extends AnyFunSuite {
  import TempFolder._

  private val conf = {
    val c = new Configuration(false)
    c.set("fs.hdfs.impl", classOf[NamedLocalFileSystem].getName)
    c.set("fs.AbstractFileSystem.hdfs.impl", classOf[NamedLocalFs].getName)
    c.set("fs.other.impl", classOf[OtherLocalFileSystem].getName)
    c
  }

  private def storage(scheme: String): Storage =
    HadoopStorage.of(new Path(s"$scheme:///"), conf)

  private def at(scheme: String, path: Path): Path = new Path(s"$scheme://${path.toUri.getPath}")

  test("a scheme without a connector fails with the package to add") {
    val own = new Configuration(conf)
    def fault(uri: String) =
      intercept[HudiliteException](Storage.qualified(new Path(uri), own)).parameters
    assert(fault("nowhere://b/t")("fix").contains("spark.jars"))
    assert(fault("nowhere://b/t")("path") == "nowhere://b/t")
    assert(fault("abfss://c@a/t")("fix").contains("org.apache.hadoop:hadoop-azure:3."))
    assert(fault("s3://b/t")("fix").contains("s3a:"))
    own.set("fs.s3a.impl", "org.apache.hadoop.fs.s3a.Absent")
    assert(fault("s3a://b/t")("fix").contains("org.apache.hadoop:hadoop-aws:3."))
    assert(fault("s3a://b/t")("reason").contains("org.apache.hadoop.fs.s3a.Absent"))
    own.set("fs.defaultFS", "gopher://h/")
    assert(fault("/t")("fix").contains("gopher:"))
    own.set("fs.s3.impl", "org.apache.hadoop.fs.s3a.Absent")
    assert(fault("s3://b/t")("fix").contains("spark.jars"))
    own.set("fs.broken.impl", classOf[BrokenFileSystem].getName)
    val setting = intercept[IOException](Storage.qualified(new Path("broken://b/t"), own))
    assert(setting.getMessage.contains("fs.broken.provider"))
  }

  // F58
  test("createNew puts a whole file in place once") {
    use { dir =>
      val file = at("hdfs", Storage.resolve(dir, "a/f"))
      assert(storage("hdfs").createNew(file, bytes("first")))
      assert(!storage("hdfs").createNew(file, bytes("second")))
      assert(new String(storage("hdfs").read(file)) == "first")
      assert(names(Storage.resolve(dir, "a")) == Set("f"))
    }
  }

  test("reading calls see what is there and nothing where nothing is") {
    use { dir =>
      write(Storage.resolve(dir, "p/f"), "abc")
      write(Storage.resolve(dir, "p/.f.crc"), "abc")
      val hdfs = storage("hdfs")
      assert(
        hdfs.list(at("hdfs", Storage.resolve(dir, "p"))).map(e => e.name -> e.length) == Seq(
          "f" -> 3L
        )
      )
      assert(hdfs.list(at("hdfs", Storage.resolve(dir, "none"))).isEmpty)
      assert(hdfs.status(at("hdfs", Storage.resolve(dir, "none"))).isEmpty)
      val e = intercept[HudiliteException](hdfs.read(at("hdfs", Storage.resolve(dir, "none"))))
      assert(e.condition == "HUDILITE_MISSING_FILE")
      assert(hdfs.delete(at("hdfs", Storage.resolve(dir, "p/f"))))
      assert(hdfs.deleteTree(at("hdfs", Storage.resolve(dir, "p"))))
      assert(!hdfs.deleteTree(at("hdfs", Storage.resolve(dir, "p"))))
    }
  }

  // F58
  test("another scheme is read but not written") {
    use { dir =>
      write(Storage.resolve(dir, "f"), "abc")
      val file = at("other", Storage.resolve(dir, "f"))
      val other = storage("other")
      assert(new String(other.read(file)) == "abc")
      val calls = Seq[() => Any](
        () => other.createNew(at("other", Storage.resolve(dir, "g")), bytes("x")),
        () => other.delete(file),
        () => other.deleteTree(file),
        () => other.deleteEmpty(file),
        () => other.guarantee,
        () => other.mkdirs(file),
        () => other.fsync(file)
      )
      calls.foreach { call =>
        val e = intercept[HudiliteException](call())
        assert(e.condition == "HUDILITE_UNSAFE_STORAGE" && e.parameters("scheme") == "other")
        assert(e.parameters("reason").contains(classOf[OtherLocalFileSystem].getName))
      }
      assert(names(dir) == Set("f"))
    }
  }

  test("another scheme is written where there is one writer at a time") {
    use { dir =>
      val alone = new Configuration(conf)
      alone.set(SingleWriterStorage.setting, "s3x, other")
      val other = HadoopStorage.of(new Path("other:///"), alone)
      assert(other.warning.exists(_.contains("other://")) && storage("hdfs").warning.isEmpty)
      val file = at("other", Storage.resolve(dir, "a/f"))
      assert(other.createNew(file, bytes("first")) && !other.createNew(file, bytes("second")))
      assert(new String(other.read(file)) == "first")
      other.replace(file, bytes("third"))
      assert(new String(other.read(file)) == "third")
      assert(names(Storage.resolve(dir, "a")) == Set("f"))
      assert(other.delete(file) && !other.delete(file))
    }
  }

  test("a second writer that takes the name meanwhile is found by its bytes") {
    use { dir =>
      val files = new OtherLocalFileSystem {
        override def rename(from: Path, to: Path): Boolean = super.rename(from, to) && {
          write(to, "another's")
          true
        }
      }
      files.initialize(URI.create("other:///"), conf)
      val file = at("other", Storage.resolve(dir, "f"))
      assert(!new SingleWriterStorage("other", files).createNew(file, bytes("mine")))
    }
  }
}

class BrokenFileSystem extends RawLocalFileSystem {
  override def initialize(name: URI, conf: Configuration): Unit =
    throw new IOException("From option fs.broken.provider", new ClassNotFoundException("P"))
}

class NamedLocalFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("hdfs:///")
  override def getScheme: String = "hdfs"
  override protected def checkPath(path: Path): Unit = ()
}

class OtherLocalFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("other:///")
  override protected def checkPath(path: Path): Unit = ()
}

class NamedLocalFs(uri: URI, conf: Configuration)
    extends org.apache.hadoop.fs.DelegateToFileSystem(
      uri,
      new NamedLocalFileSystem,
      conf,
      "hdfs",
      false
    )
