package hudilite.io

import java.io.IOException

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import hudilite.tests.{FaultPlan, FaultRun, FaultStorage}

class FaultStorageSuite extends AnyFunSuite {
  import TempFolder._

  test("the n-th matching call fails before its effect, no other does") {
    use { dir =>
      val storage = FaultStorage.over(LocalStorage, FaultPlan.parse("createNew:b[0-9]:2:throw"))
      val created = Seq("a1", "b1", "b2", "b3").map { name =>
        try storage.createNew(Storage.resolve(dir, name), bytes("x"))
        catch { case _: IOException => false }
      }
      assert(created == Seq(true, true, false, true))
      assert(names(dir) == Set("a1", "b1", "b3"))
    }
  }

  test("a lost reply fails after the effect") {
    use { dir =>
      val storage = FaultStorage.over(LocalStorage, FaultPlan.parse("*:.*:1:throwAfter"))
      val file = Storage.resolve(dir, "f")
      intercept[IOException](storage.createNew(file, bytes("x")))
      assert(storage.status(file).map(_.length).contains(1L))
    }
  }

  test("after a stop every call fails") {
    use { dir =>
      val storage = FaultStorage.over(LocalStorage, FaultPlan.parse("createNew:.*:2:stop"))
      val file = Storage.resolve(dir, "f")
      assert(storage.createNew(file, bytes("x")))
      intercept[IOException](storage.createNew(Storage.resolve(dir, "g"), bytes("x")))
      intercept[IOException](storage.status(file))
    }
  }

  test("a broken write leaves half of its bytes in a file that nobody sees") {
    use { dir =>
      val storage = FaultStorage.over(LocalStorage, FaultPlan.parse("*:.*:1:partial"))
      val file = Storage.resolve(dir, "f")
      intercept[IOException](storage.createNew(file, bytes("abcdef")))
      assert(storage.list(dir).isEmpty)
      val left = names(dir).toSeq
      assert(left.size == 1)
      assert(LocalStorage.read(Storage.resolve(dir, left.head)).toSeq == bytes("abc").toSeq)
    }
  }

  test("a call that writes nothing fails before its effect where a write would break off") {
    use { dir =>
      val file = Storage.resolve(dir, "f")
      LocalStorage.createNew(file, bytes("x"))
      val storage = FaultStorage.over(LocalStorage, FaultPlan.parse("delete:.*:1:partial"))
      intercept[IOException](storage.delete(file))
      assert(names(dir) == Set("f"))
    }
  }

  test("a run numbers the calls below its root, of all threads, and says which one it broke") {
    use { dir =>
      val plan = FaultPlan.parse("*:.*:2:throw")
      val run = new FaultRun("/in", plan)
      val storage = FaultStorage.over(LocalStorage, () => run)
      val in = Storage.resolve(dir, "in")
      val out = Storage.resolve(dir, "out")
      assert(storage.status(out).isEmpty && storage.status(in).isEmpty)
      intercept[IOException](storage.list(in))
      assert(storage.names(in).isEmpty)
      val thread = Thread.currentThread.getName
      val seen = Seq(("1", "status", ""), ("2", "list", "throw"), ("3", "names", ""))
      val told = seen.map { case (k, call, action) => s"$k\t$thread\t$call\t$in\t$action" }
      assert(run.log == told.mkString("\n"))
    }
  }

  test("nothing is put between in a JVM that was not started for crash tests") {
    use(dir => assert(Storage.of(dir, new Configuration(false)) eq LocalStorage))
  }

  test("images are the folder as it is before each call") {
    use { dir =>
      val root = Storage.resolve(dir, "t")
      val run = new FaultRun(root.toUri.getPath, FaultPlan.parse("createNew:.*:2:image"))
      val storage = FaultStorage.over(LocalStorage, () => run)
      Seq("a", "b", "c").foreach(n => storage.createNew(Storage.resolve(root, n), bytes(n)))
      val images = Storage.resolve(dir, "t-images")
      assert(names(images) == Set("2", "3"))
      assert(names(Storage.resolve(images, "2")) == Set("a"))
      assert(names(Storage.resolve(images, "3")) == Set("a", "b"))
    }
  }

  test("a plan of another form is refused") {
    Seq("", "createNew", "createNew:x:1:pause", "createNew:x:one:halt", ":x:1:halt")
      .foreach(text => intercept[IllegalArgumentException](FaultPlan.parse(text)))
  }

  test("a path regex may hold colons") {
    val plan = FaultPlan.parse("read:file:/x:1:halt")
    assert(plan.action == FaultPlan.Action.HALT)
    assert(!plan.strikes("read", "file:/y") && plan.strikes("read", "file:/x") && plan.hasStruck)
  }
}
