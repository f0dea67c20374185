package hudilite.timeline

import org.scalatest.funsuite.AnyFunSuite

import hudilite.io.{LocalStorage, Storage, TempFolder}

class MarkersSuite extends AnyFunSuite {
  private val t = "20240102030405678"

  test("markers lie where stock Hudi looks for them and name the files again") {
    TempFolder.use { dir =>
      val files = TimelineFiles.of(LocalStorage, dir)
      Markers.create(files, t, "a=1/b=2", "x_1-0-1_1.parquet", Markers.Create)
      Markers.create(files, t, "", "y_1-0-1_1.parquet", Markers.Merge)
      Markers.create(files, t, "", "y_1-0-1_1.parquet", Markers.Merge)
      val below = Storage.resolve(dir, s".hoodie/.temp/$t/a=1/b=2/x_1-0-1_1.parquet.marker.CREATE")
      assert(LocalStorage.status(below).exists(_.length == 0))
      assert(
        Markers.dataFiles(files, t).toSet ==
          Set("a=1/b=2/x_1-0-1_1.parquet", "y_1-0-1_1.parquet")
      )
      Markers.deleteAll(files, t)
      Markers.deleteAll(files, t)
      assert(Markers.dataFiles(files, t).isEmpty)
    }
  }
}
