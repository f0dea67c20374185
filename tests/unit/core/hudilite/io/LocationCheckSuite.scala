package hudilite.io

import java.util.UUID
import java.util.concurrent.atomic.AtomicLong

import scala.concurrent.duration.DurationInt
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

class LocationCheckSuite extends AnyFunSuite {
  import FakeStore.{LostAnswer, Refused, Slow}
  import TempFolder._

  private val inTurn = Seq("create", "create_twice", "read", "list", "create_again")
  private val steps = Seq("storage", "reach") ++ inTurn ++ Seq("race", "delete")
  private val conf = {
    val c = new Configuration(false)
    Map[String, Class[_]](
      "fs.fake.impl" -> classOf[FakeStore],
      "fs.ignoring.impl" -> classOf[IgnoringStore],
      "fs.looking.impl" -> classOf[LookingStore],
      "fs.gs.impl" -> classOf[com.google.cloud.hadoop.fs.gcs.GoogleHadoopFileSystem],
      "fs.abfs.impl" -> classOf[org.apache.hadoop.fs.azurebfs.AzureBlobFileSystem],
      "fs.other.impl" -> classOf[OtherLocalFileSystem],
      "fs.s3a.impl" -> classOf[org.apache.hadoop.fs.s3a.S3AFileSystem]
    ).foreach { case (key, of) => c.set(key, of.getName) }
    c.set("fs.fake.secret.key", LocationCheckSuite.secret)
    c.set("spark.hudilite.write.storeSeconds", "2")
    c
  }

  /** A location below a folder, in a bucket of its own where the scheme has buckets. */
  private def at(scheme: String, dir: Path, name: String = "lake/t"): Path = {
    val isPlain = Seq("file", "other").contains(scheme)
    val bucket = if (isPlain) "" else s"b${UUID.randomUUID}"
    new Path(s"$scheme://$bucket${Storage.resolve(dir, name).toUri.getPath}")
  }

  private def check(location: Path, conf: Configuration = conf): Seq[CheckedStep] = {
    val clock = new AtomicLong
    val found = new LocationCheck(location, conf, () => clock.addAndGet(3500000L)).results()
    assert(found.map(_.name) == steps)
    assert(found.forall(s => s.millis == Option.when(s.outcome != "skipped")(3L)))
    assert(!found.exists(_.detail.contains(LocationCheckSuite.secret)))
    found
  }

  private def of(outcome: String, found: Seq[CheckedStep]): Seq[String] =
    found.filter(_.outcome == outcome).map(_.name)

  private def detail(found: Seq[CheckedStep], step: String): String =
    found.find(_.name == step).fold("")(_.detail)

  for {
    (scheme, how) <- Seq(
      "file" -> "hard link",
      "fake" -> "conditional PUT",
      "gs" -> "GoogleHadoopFileSystem",
      "abfs" -> "AzureBlobFileSystem"
    )
  } test(s"a location on $scheme passes, and nothing is left there") {
    use { dir =>
      val found = check(at(scheme, dir))
      assert(of("ok", found) == steps, found)
      assert(detail(found, "storage").startsWith(s"$scheme: "))
      assert(detail(found, "storage").contains(how))
      assert(detail(found, "reach") == "the location does not exist yet")
      assert(names(dir).isEmpty)
      write(Storage.resolve(dir, "lake/t/f"), "abc")
      assert(detail(check(at(scheme, dir)), "reach") == "the location exists")
      assert(names(Storage.resolve(dir, "lake/t")) == Set("f"))
    }
  }

  test("a store that creates a file again fails, and what follows is skipped") {
    use { dir =>
      val found = check(at("ignoring", dir))
      assert(of("ok", found) == Seq("storage", "reach", "create", "delete"))
      assert(of("failed", found) == Seq("create_twice"))
      assert(of("skipped", found) == Seq("read", "list", "create_again", "race"))
      assert(detail(found, "create_twice").contains("existed already"))
      assert(detail(found, "create_twice").endsWith("write.singleWriter = ignoring."))
      assert(names(dir).isEmpty)
    }
  }

  test("a store that is wrong only for requests at the same time fails in the race alone") {
    use { dir =>
      val location = at("looking", dir)
      val found = check(location)
      assert(of("failed", found) == Seq("race"), found)
      assert(of("skipped", found).isEmpty)
      assert(detail(found, "race").contains("10 files"))
      assert(names(dir).isEmpty)
      assert(Storage.of(location, conf).createNew(Storage.resolve(location, "f"), bytes("x")))
    }
  }

  test("a storage without a way to create a file exclusively is not written") {
    use { dir =>
      Seq("other", "s3a").foreach { scheme =>
        val found = check(at(scheme, dir))
        assert(of("failed", found) == Seq("storage") && of("ok", found).isEmpty)
        assert(detail(found, "storage").contains(s"Table writes to $scheme:// are not safe"))
        assert(detail(found, "delete") == "nothing was created")
        assert(names(dir).isEmpty)
      }
    }
  }

  test("there is no race where the user promises a single writer") {
    use { dir =>
      val alone = new Configuration(conf)
      alone.set(SingleWriterStorage.setting, "other")
      val found = check(at("other", dir), alone)
      assert(of("skipped", found) == Seq("race") && of("failed", found).isEmpty, found)
      assert(detail(found, "race").contains("Two writers at the same time"))
      assert(names(dir).isEmpty)
    }
  }

  test("a fault of the store is told with what to do, and its settings are not") {
    use { dir =>
      val location = at("fake", dir)
      location.getFileSystem(conf) match {
        case store: FakeStore => store.faults.add(Refused)
        case other => fail(other.getClass.getName)
      }
      val found = check(location)
      assert(of("failed", found) == Seq("create"))
      assert(detail(found, "create").contains("no right") && names(dir).isEmpty)
    }
  }

  test("a store that does not answer is unknown, and a lost answer is none") {
    use { dir =>
      val location = at("fake", dir)
      location.getFileSystem(conf) match {
        case store: FakeStore =>
          store.faults.add(LostAnswer)
          assert(of("ok", check(location)) == steps)
          store.faults.addAll(Seq.fill(100)(Slow(1.minute)).asJava)
          val found = check(location)
          assert(of("failed", found) == Seq("create"))
          assert(detail(found, "create").contains("has not answered). Run the statement again"))
        case other => fail(other.getClass.getName)
      }
    }
  }

  test("a file, a scheme without a connector and a wrong setting fail with a reason") {
    use { dir =>
      write(Storage.resolve(dir, "f"), "abc")
      val onFile = check(at("file", dir, "f"))
      assert(
        of("failed", onFile) == Seq("reach") && detail(onFile, "reach").contains("it is a file")
      )
      val unknown = check(new Path("nowhere://b/t"))
      assert(detail(unknown, "storage").contains("nowhere"))
      assert(detail(unknown, "storage").contains("spark.jars"))
      val wrong = new Configuration(conf)
      wrong.set("spark.hudilite.write.storeSeconds", "soon")
      assert(detail(check(at("fake", dir), wrong), "storage").contains("storeSeconds"))
      assert(names(dir) == Set("f"))
    }
  }
}

object LocationCheckSuite {
  private val secret = "not-to-be-told"
}

class IgnoringStore extends FakeStore(ignores = true)

class LookingStore extends FakeStore(looks = true)
