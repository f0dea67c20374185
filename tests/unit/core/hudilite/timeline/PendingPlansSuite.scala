package hudilite.timeline

import org.scalatest.funsuite.AnyFunSuite

import hudilite.io.{LocalStorage, Storage, TempFolder}

class PendingPlansSuite extends AnyFunSuite {
  import TempFolder._

  test("a clustering is pending, and a replacecommit that was aborted since the listing is none") {
    use { dir =>
      write(Storage.resolve(dir, ".hoodie/hoodie.properties"), "")
      val files = TimelineFiles.of(LocalStorage, dir)
      Seq("20240101000000001" -> true, "20240101000000002" -> false).foreach {
        case (time, isClustering) => AvroFiles.requestedReplace(dir, time, isClustering)
      }
      val listed = Timeline.load(files)
      assert(PendingPlans.clusterings(files, listed).map(_.time) == Seq("20240101000000001"))
      val aborted = ".hoodie/20240101000000002.replacecommit.requested"
      assert(LocalStorage.delete(Storage.resolve(dir, aborted)))
      assert(PendingPlans.clusterings(files, listed).map(_.time) == Seq("20240101000000001"))
    }
  }
}
