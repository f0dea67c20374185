package hudilite.io

import java.io.FileNotFoundException
import java.util.concurrent.{Callable, Executors}

import scala.concurrent.duration.{Deadline, DurationInt, FiniteDuration}
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, FilterFileSystem, Path}
import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException

class ObjectStorageSuite extends AnyFunSuite {
  import FakeStore._
  import TempFolder._

  private def storage(
      store: FileSystem,
      dir: Path,
      limit: FiniteDuration = 2.seconds
  ): ObjectStorage = {
    val root = at(store, dir)
    new ObjectStorage(root, store,
      ExclusiveCreate.of(store, root).fold(unsafe => throw unsafe.error, identity), limit)
  }
  private def take(store: FileSystem): Either[UnsafeStore, ExclusiveCreate] =
    ExclusiveCreate.of(store, new Path("fake://b/t"))

  private def condition(call: => Any): HudiliteException = intercept[HudiliteException](call)

  test("the first creates a file, with its bytes, and the second does not") {
    use { dir =>
      val store = FakeStore()
      val file = at(store, Storage.resolve(dir, "a/b/f"))
      assert(storage(store, dir).createNew(file, bytes("first")))
      assert(!storage(store, dir).createNew(file, bytes("second")))
      assert(new String(storage(store, dir).read(file)) == "first")
      assert(names(Storage.resolve(dir, "a/b")) == Set("f") && names(dir) == Set("a"))
    }
  }

  for {
    (name, faults, expected) <- Seq(
      ("a lost answer", Seq(LostAnswer), true),
      ("a dropped request", Seq(Dropped), true),
      ("three dropped requests", Seq(Dropped, Dropped, Dropped), true),
      ("a dropped request, then a lost answer", Seq(Dropped, LostAnswer), true),
      ("a late effect", Seq(Late(20.millis)), true),
      ("an answer that hangs", Seq(SlowAnswer(1.second)), true),
      ("a request that hangs", Seq(Slow(1.second)), true)
    )
    empty <- Seq(false, true)
  } test(s"after $name the file is this caller's, ${if (empty) "empty" else "with bytes"}") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir)
      val file = at(store, Storage.resolve(dir, "f"))
      of.createNew(at(store, Storage.resolve(dir, "probed")), bytes("x"))
      store.faults.addAll(faults.asJava)
      assert(of.createNew(file, bytes(if (empty) "" else "mine")) == expected)
      assert(text(Storage.resolve(dir, "f")) == (if (empty) "" else "mine"))
    }
  }

  test("a file of another writer is not taken for this caller's, whatever the answer was") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir)
      Seq(LostAnswer, Dropped, SlowAnswer(1.second), Late(1.millis), Refused).foreach { fault =>
        val file = at(store, Storage.resolve(dir, s"$fault"))
        assert(of.createNew(file, bytes("same")))
        store.faults.add(fault)
        assert(!of.createNew(file, bytes("same")), fault)
      }
    }
  }

  test("a look that fails is made again") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir)
      of.createNew(at(store, Storage.resolve(dir, "probed")), bytes("x"))
      store.faults.add(LostAnswer)
      store.lookFaults.addAll(Seq(Dropped, Dropped).asJava)
      assert(of.createNew(at(store, Storage.resolve(dir, "f")), bytes("mine")))
    }
  }

  // F27
  test("the outcome is unknown when the store cannot be reached until the deadline") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir, 1.second)
      of.createNew(at(store, Storage.resolve(dir, "probed")), bytes("x"))
      Seq[Fault](Dropped, Slow(1.minute)).foreach { fault =>
        store.faults.clear()
        store.faults.addAll(Seq.fill(1000)(fault).asJava)
        val until = 20.seconds.fromNow
        val e = intercept[UnknownOutcomeException](
          of.createNew(at(store, Storage.resolve(dir, "f")), bytes("x"))
        )
        assert(until.hasTimeLeft() && Option(e.getCause).isDefined)
      }
    }
  }

  test("a call that hangs near the deadline does not put it off") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir, 4.seconds)
      of.createNew(at(store, Storage.resolve(dir, "probed")), bytes("x"))
      val hangs = Seq.fill(20)(Slow(1.minute))
      store.faults.addAll((Seq(DroppedAfter(800.millis), DroppedAfter(900.millis)) ++ hangs).asJava)
      store.lookFaults.addAll(hangs.asJava)
      val until = 4500.millis.fromNow
      intercept[UnknownOutcomeException](
        of.createNew(at(store, Storage.resolve(dir, "f")), bytes("x"))
      )
      assert(until.hasTimeLeft())
    }
  }

  test("a folder is empty when nothing is listed, not when the store refuses to list it") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir)
      store.listFaults.add(new FileNotFoundException("No such file or directory"))
      assert(of.list(at(store, dir)).isEmpty)
      val answer = new FileNotFoundException("404")
      answer.initCause(new IllegalStateException("Status Code: 404")): Unit
      store.listFaults.add(answer)
      assert(intercept[FileNotFoundException](of.list(at(store, dir))) eq answer)
      store.listFaults.add(answer)
      assert(intercept[FileNotFoundException](of.names(at(store, dir))) eq answer)
      store.listFaults.add(answer)
      assert(intercept[FileNotFoundException](of.deleteFilesBelow(at(store, dir))) eq answer)
    }
  }

  test("a missing right ends the tries at once, in doubt of what an earlier request did") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir)
      of.createNew(at(store, Storage.resolve(dir, "probed")), bytes("x"))
      store.faults.add(Refused)
      val before = store.puts.get
      val e = intercept[UnknownOutcomeException](
        of.createNew(at(store, Storage.resolve(dir, "f")), bytes("x"))
      )
      assert(e.getMessage.contains("403") && store.puts.get == before + 1)
    }
  }

  // F16
  test("an interrupted thread finishes its call and stays interrupted") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir)
      store.faults.add(Slow(100.millis))
      val file = at(store, Storage.resolve(dir, "f"))
      Thread.currentThread.interrupt()
      val created = of.createNew(file, bytes("x"))
      val read = of.read(file)
      of.touch(at(store, Storage.resolve(dir, "hint")))
      assert(Thread.interrupted())
      assert(created && new String(read) == "x" && names(dir) == Set("f", "hint"))
    }
  }

  // F06, F21
  test("of four threads that create one file through faults exactly one wins") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir)
      of.createNew(at(store, Storage.resolve(dir, "probed")), bytes("x"))
      val random = new scala.util.Random(7)
      val some = Seq(LostAnswer, Dropped, Late(5.millis), Slow(0.seconds), Slow(1.millis))
      store.faults.addAll(Seq.fill(400)(some(random.nextInt(some.size))).asJava)
      val pool = Executors.newFixedThreadPool(4)
      (0 until 40).foreach { round =>
        val file = at(store, Storage.resolve(dir, s"f$round"))
        val tasks = (0 until 4).map { id =>
          new Callable[Boolean] { def call(): Boolean = of.createNew(file, bytes(s"$id")) }
        }
        val won = pool.invokeAll(tasks.asJava).asScala.map(_.get).toSeq
        assert(won.count(identity) == 1, round)
        assert(text(Storage.resolve(dir, s"f$round")) == s"${won.indexOf(true)}")
      }
      pool.shutdown()
      store.settle()
    }
  }

  test("a bucket is checked once, and the check leaves nothing behind") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir)
      assert(of.createNew(at(store, Storage.resolve(dir, "f")), bytes("x")))
      assert(store.puts.get == 4)
      assert(storage(store, dir).createNew(at(store, Storage.resolve(dir, "g")), bytes("x")))
      assert(store.puts.get == 5 && names(dir) == Set("f", "g"))
    }
  }

  // F58
  test("a store that creates a file again is refused before anything is written") {
    use { dir =>
      val store = FakeStore(ignores = true)
      val e =
        condition(storage(store, dir).createNew(at(store, Storage.resolve(dir, "f")), bytes("")))
      assert(e.condition == "HUDILITE_UNSAFE_STORAGE")
      assert(e.parameters("reason").contains("existed already"))
      assert(e.parameters("fix").contains("fs.s3a.create.conditional.enabled"))
      assert(names(dir).isEmpty)
    }
  }

  for {
    (name, files, fix) <- Seq(
      ("GCS", new com.google.cloud.hadoop.fs.gcs.GoogleHadoopFileSystem(true), "ifGenerationMatch"),
      ("ABFS", new org.apache.hadoop.fs.azurebfs.AzureBlobFileSystem(true), "refuses to rename")
    )
  } test(s"what to do about a store of $name that creates a file again is not a setting of s3a") {
    use { dir =>
      val store = of(files)
      val e =
        condition(storage(store, dir).createNew(at(store, Storage.resolve(dir, "f")), bytes("x")))
      assert(e.condition == "HUDILITE_UNSAFE_STORAGE" && e.parameters("fix").contains(fix))
      assert(!e.parameters("fix").contains("s3a") && names(dir).isEmpty)
    }
  }

  test("faults during the check are faults of the store, not reasons to refuse it") {
    use { dir =>
      val store = FakeStore()
      store.faults.addAll(Seq(Dropped, LostAnswer, LostAnswer, LostAnswer).asJava)
      assert(storage(store, dir).createNew(at(store, Storage.resolve(dir, "f")), bytes("x")))
      val other = FakeStore()
      other.faults.add(Refused)
      intercept[java.nio.file.AccessDeniedException](
        storage(other, dir).createNew(at(other, Storage.resolve(dir, "g")), bytes("x"))
      )
      assert(storage(other, dir).createNew(at(other, Storage.resolve(dir, "g")), bytes("x")))
    }
  }

  test("touch and replace are one put each, and an object that is there does not matter") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir)
      val file = at(store, Storage.resolve(dir, "f"))
      Seq(1, 2).foreach(_ => of.touch(file))
      of.replace(file, bytes("new"))
      assert(store.puts.get == 3 && text(Storage.resolve(dir, "f")) == "new")
      of.mkdirs(at(store, Storage.resolve(dir, "folder")))
      of.fsync(file)
      assert(names(dir) == Set("f"))
    }
  }

  test("an object needs no folder") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir)
      of.touch(at(store, Storage.resolve(dir, "a/marker")))
      of.replace(at(store, Storage.resolve(dir, "b/f")), bytes("x"))
      assert(names(dir) == Set("a", "b") && text(Storage.resolve(dir, "b/f")) == "x")
    }
  }

  test("files are deleted a page at a time") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir)
      val files = (0 until 7).map(n => at(store, Storage.resolve(dir, s"f$n")))
      files.take(5).foreach(of.touch)
      assert(of.deleteAll(files)(identity) == files)
      assert(names(dir).isEmpty && store.bulkDeletes.get == 3)
      assert(of.deleteAll(Seq.empty[Path])(identity).isEmpty && store.bulkDeletes.get == 3)
    }
  }

  test("a file exists once it is put, an empty one, too") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir)
      val file = at(store, Storage.resolve(dir, "a/f"))
      assert(!of.exists(file) && !of.exists(at(store, Storage.resolve(dir, "a"))))
      of.touch(file)
      assert(of.exists(file))
      of.replace(file, bytes("text"))
      assert(of.exists(file))
    }
  }

  test("a file is read at its listed length, without another look at it") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir)
      val file = at(store, Storage.resolve(dir, "f"))
      assert(condition(of.readListed(file, 4)).condition == "HUDILITE_MISSING_FILE")
      of.replace(file, bytes("text"))
      assert(new String(of.readListed(file, 4), "UTF-8") == "text")
      assert(new String(of.readTagged(file)._1, "UTF-8") == "text")
      val limit = condition(of.readListed(file, Storage.maxReadBytes + 1))
      assert(limit.condition == "HUDILITE_LIMIT_EXCEEDED")
      assert(condition(of.readListed(file, 4, most = 3)).condition == "HUDILITE_LIMIT_EXCEEDED")
      assert(new String(of.readListed(file, 4, most = 4), "UTF-8") == "text")
    }
  }

  test("an entry that the connector lists twice is one") {
    use { dir =>
      val twice = new FilterFileSystem(FakeStore()) {
        override def listStatus(path: Path): Array[FileStatus] = {
          val found = super.listStatus(path)
          found ++ found
        }
      }
      storage(twice, dir).createNew(at(twice, Storage.resolve(dir, "a/f")), bytes("f")): Unit
      assert(storage(twice, dir).list(at(twice, dir)).map(_.name) == Seq("a"))
    }
  }

  test("the files of a folder are deleted a page at a time, and those beside it are kept") {
    use { dir =>
      val store = FakeStore()
      val of = storage(store, dir)
      val inside = Seq("f", "g", "deeper/h", "deeper/still/i")
      def path(name: String) = at(store, Storage.resolve(dir, name))
      inside.foreach(name => of.touch(path(s"m/$name")))
      of.touch(path("mm/f"))
      of.deleteFilesBelow(path("m"))
      assert(store.bulkDeletes.get == 2 && inside.forall(name => !of.exists(path(s"m/$name"))))
      assert(of.exists(path("mm/f")))
      of.deleteFilesBelow(path("absent"))
      assert(store.bulkDeletes.get == 2)
    }
  }

  test("a data file is opened without a look, and shows nothing if it is aborted") {
    use { dir =>
      val conf = new Configuration(false)
      conf.set("fs.fake.impl", classOf[FakeStore].getName)
      conf.set("fs.fake.impl.disable.cache", "true")
      val path = new Path(s"fake://bucket${dir.toUri.getPath}f")
      val file = new NewFile(path, conf)
      file.abort()
      val out = file.create(0)
      out.write(bytes("half"))
      file.abort()
      out.close()
      assert(names(dir).isEmpty)
      val whole = new NewFile(path, conf)
      val to = whole.create(0)
      to.write(bytes("whole"))
      to.close()
      whole.abort()
      assert(text(Storage.resolve(dir, "f")) == "whole")
    }
  }

  test("the way to take a name follows what the file system can do and its class") {
    assert(take(FakeStore()).exists(_.isInstanceOf[ConditionalPut]))
    assert(take(of(new com.google.cloud.hadoop.fs.gcs.GoogleHadoopFileSystem))
      .exists(_.isInstanceOf[CreateOnce]))
    Seq(
      new org.apache.hadoop.fs.azurebfs.AzureBlobFileSystem,
      new org.apache.hadoop.fs.azurebfs.SecureAzureBlobFileSystem
    ).foreach(files => assert(take(of(files)).exists(_.isInstanceOf[RenameOnce])))
  }

  test("a store that cannot take a name is not written, and the error tells why") {
    val old = of(new org.apache.hadoop.fs.s3a.S3AFileSystem)
    def reason = take(old).left.toOption.map(_.reason).getOrElse("")
    assert(reason.contains("before 3.4.2"))
    old.getConf.setBoolean("fs.s3a.create.conditional.enabled", false)
    assert(reason == "fs.s3a.create.conditional.enabled is false")
    val other = take(FakeStore(isConditional = false)).left.toOption
    assert(other.exists(_.reason.contains(classOf[FakeStore].getName)))
  }

  for {
    (name, files) <- Seq(
      "by create without overwrite" -> new com.google.cloud.hadoop.fs.gcs.GoogleHadoopFileSystem,
      "by rename of a temporary file" -> new org.apache.hadoop.fs.azurebfs.AzureBlobFileSystem
    )
  } test(s"a name is taken once $name") {
    use { dir =>
      val store = of(files)
      val of2 = storage(store, dir)
      val file = at(store, Storage.resolve(dir, "a/f"))
      assert(of2.createNew(file, bytes("first")) && !of2.createNew(file, bytes("second")))
      assert(!of2.createNew(file, bytes("")))
      assert(text(Storage.resolve(dir, "a/f")) == "first")
      of2.replace(file, bytes("third"))
      assert(text(Storage.resolve(dir, "a/f")) == "third")
      assert(names(Storage.resolve(dir, "a")) == Set("f"))
    }
  }

  test("without a token the content tells whose a file is, and an empty one is another's") {
    use { dir =>
      val store = of(new com.google.cloud.hadoop.fs.gcs.GoogleHadoopFileSystem)
      val of2 = storage(store, dir)
      of2.createNew(at(store, Storage.resolve(dir, "probed")), bytes("x"))
      Seq("mine" -> true, "" -> false).foreach { case (text, isMine) =>
        store.faults.add(LostAnswer)
        val file = at(store, Storage.resolve(dir, s"f$isMine"))
        assert(of2.createNew(file, bytes(text)) == isMine)
      }
    }
  }

  test("the time to wait for a store is a setting") {
    def limit(text: String) = {
      val conf = new Configuration(false)
      conf.set("spark.hudilite.write.storeSeconds", text)
      StoreCall.limit(conf)
    }
    assert(StoreCall.limit(new Configuration(false)) == 60.seconds && limit(" 5 ") == 5.seconds)
    Seq("0", "-1", "1m", "").foreach { text =>
      assert(condition(limit(text)).condition == "HUDILITE_SETTING_INVALID")
    }
  }

  test("a call that outlasts an interrupt by the limit is left") {
    val started = Deadline.now
    Thread.currentThread.interrupt()
    intercept[java.io.InterruptedIOException](
      StoreCall.patiently(50.millis)(Thread.sleep(10000))
    )
    assert(Thread.interrupted() && -started.timeLeft < 5.seconds)
  }
}
