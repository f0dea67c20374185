package hudilite.io

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

class FaultStorageSuite extends AnyFunSuite {
  import TempFolder._

  test("the n-th matching call fails before its effect, no other does") {
    use { dir =>
      val storage = new FaultStorage(LocalStorage, FaultPlan.parse("createNew:b[0-9]:2:throw"))
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
      val storage = new FaultStorage(LocalStorage, FaultPlan.parse("*:.*:1:throwAfter"))
      val file = Storage.resolve(dir, "f")
      intercept[IOException](storage.createNew(file, bytes("x")))
      assert(storage.status(file).map(_.length).contains(1L))
    }
  }

  test("a plan of another form is refused") {
    Seq("", "createNew", "createNew:x:1:pause", "createNew:x:one:halt", ":x:1:halt")
      .foreach(text => intercept[IllegalArgumentException](FaultPlan.parse(text)))
  }

  test("a path regex may hold colons") {
    val plan = FaultPlan.parse("read:file:/x:3:halt")
    assert(plan.path.regex == "file:/x" && plan.nth == 3 && plan.action == FaultPlan.Halt)
  }
}
